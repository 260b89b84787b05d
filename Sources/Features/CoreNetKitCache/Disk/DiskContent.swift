import CoreNetKitSystem

import CoreNetKitEssentials

/// An open file of a body, readable even after it was removed.
///
/// Every byte is checked before it is returned.
final class DiskContent: CacheContent {
    let length: Int64
    private let file: OpenFile
    private let files: any FileOperations
    private let worker: FileWorker
    private let pieces: BodyPieces
    private let damaged: @Sendable () -> Void

    /// Uses a file that is open.
    ///
    /// - Parameters:
    ///   - file: The file; closed with this object, or at once if it is damaged.
    ///   - length: The number of bytes of the content.
    ///   - checksum: The checksum of the checksums after the content.
    ///   - files: The file system.
    ///   - worker: The worker that reads.
    ///   - damaged: Called if a piece is damaged.
    init?(
        _ file: OpenFile,
        length: Int64,
        checksum: UInt32,
        _ files: any FileOperations,
        _ worker: FileWorker,
        damaged: @escaping @Sendable () -> Void
    ) {
        let trailer = BodyPieces.trailerLength(of: length)
        guard let status = try? files.status(of: file), Int64(status.size) == length + Int64(trailer),
            let bytes = try? files.readAll(file, at: Int(length), count: trailer),
            let pieces = BodyPieces(trailer: bytes, checksum: checksum)
        else {
            files.close(file)
            return nil
        }
        (self.file, self.length, self.files, self.worker) = (file, length, files, worker)
        (self.pieces, self.damaged) = (pieces, damaged)
    }

    deinit { files.close(file) }

    func read(_ range: Range<Int64>) async -> Data? {
        guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
        return await worker.run { self.readNow(Int(range.lowerBound)..<Int(range.upperBound)) }
    }

    private func readNow(_ range: Range<Int>) -> Data? {
        let start = range.lowerBound / BodyPieces.length * BodyPieces.length
        let end = min(Int(length), (range.upperBound + BodyPieces.length - 1) / BodyPieces.length * BodyPieces.length)
        guard let bytes = try? files.readAll(file, at: start, count: end - start), bytes.count == end - start else {
            return nil
        }
        for first in stride(from: 0, to: bytes.count, by: BodyPieces.length) {
            let piece = bytes[first..<min(first + BodyPieces.length, bytes.count)]
            guard pieces.isWhole(piece, at: (start + first) / BodyPieces.length) else {
                damaged()
                return nil
            }
        }
        return Data(bytes[(range.lowerBound - start)..<(range.upperBound - start)])
    }
}
