import CoreNetKitSystem

import CoreNetKitEssentials

/// A body's file that was opened: readable also after it was removed.
final class DiskContent: CacheContent {
    let length: Int64
    private let file: OpenFile
    private let files: any FileOperations
    private let worker: FileWorker

    init(_ file: OpenFile, length: Int64, _ files: any FileOperations, _ worker: FileWorker) {
        (self.file, self.length, self.files, self.worker) = (file, length, files, worker)
    }

    deinit { files.close(file) }

    func read(_ range: Range<Int64>) async -> Data? {
        guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
        return await worker.run { [file, files] in
            let count = Int(range.upperBound - range.lowerBound)
            let bytes = try? files.readAll(file, at: Int(range.lowerBound), count: count)
            return bytes.flatMap { $0.count == count ? Data($0) : nil }
        }
    }

    /// Whether the file has this length and checksum.
    static func isWhole(_ file: OpenFile, length: Int64, checksum: UInt32, _ files: any FileOperations) -> Bool {
        guard let status = try? files.status(of: file), Int64(status.size) == length else { return false }
        var sum = CRC32C()
        var offset = 0
        while offset < status.size {
            let bytes = try? files.readAll(file, at: offset, count: min(1 << 18, status.size - offset))
            guard let bytes, !bytes.isEmpty else { return false }
            sum.update(bytes)
            offset += bytes.count
        }
        return sum.value == checksum
    }
}
