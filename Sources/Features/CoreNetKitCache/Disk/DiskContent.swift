import CoreNetKitEssentials
import CoreNetKitSystem

/// The open file of a body, readable even after the file is removed; every byte is checked before it is returned.
final class DiskContent: CacheContent {
    let length: Int64
    private let file: OpenFile
    private let files: any FileOperations
    private let worker: FileWorker
    private let blocks: BlockChecksums
    private let onDamage: @Sendable () -> Void

    /// Uses an open file, which is closed with this object, or at once if it is damaged; the checksum is its trailer's.
    init?(
        _ file: OpenFile,
        length: Int64,
        checksum: UInt32,
        _ files: any FileOperations,
        _ worker: FileWorker,
        onDamage: @escaping @Sendable () -> Void
    ) {
        let trailer = BlockChecksums.trailerLength(of: length)
        guard let status = try? files.status(of: file), Int64(status.size) == length + Int64(trailer),
            let bytes = try? files.readAll(file, at: Int(length), count: trailer),
            let blocks = BlockChecksums(trailer: bytes, checksum: checksum)
        else {
            files.close(file)
            return nil
        }
        (self.file, self.length, self.files, self.worker) = (file, length, files, worker)
        (self.blocks, self.onDamage) = (blocks, onDamage)
    }

    deinit { files.close(file) }

    func read(_ range: Range<Int64>) async -> Data? {
        guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
        return await worker.run { self.readNow(Int(range.lowerBound)..<Int(range.upperBound)) }
    }

    private func readNow(_ range: Range<Int>) -> Data? {
        let size = BlockChecksums.length
        let start = range.lowerBound / size * size
        let end = min(Int(length), (range.upperBound + size - 1) / size * size)
        guard let bytes = try? files.readAll(file, at: start, count: end - start), bytes.count == end - start else {
            return nil
        }
        for first in stride(from: 0, to: bytes.count, by: size) {
            let block = bytes[first..<min(first + size, bytes.count)]
            guard blocks.isIntact(block, at: (start + first) / size) else {
                onDamage()
                return nil
            }
        }
        return Data(bytes[(range.lowerBound - start)..<(range.upperBound - start)])
    }
}

/// Checksums of content in blocks of 64 KiB, in a trailer of the file, whose own checksum is in the file's name.
struct BlockChecksums: Sendable {
    static let length = 64 << 10

    private var checksums: [UInt32] = []
    private var current = CRC32C()
    private var filled = 0

    init() {}

    static func trailerLength(of length: Int64) -> Int {
        Int((length + Int64(Self.length) - 1) / Int64(Self.length)) * 4
    }

    mutating func add(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.length - filled)
            current.update(part)
            filled += part.count
            rest = rest.dropFirst(part.count)
            if filled == Self.length { close() }
        }
    }

    private mutating func close() {
        checksums.append(current.value)
        (current, filled) = (CRC32C(), 0)
    }

    mutating func trailer() -> [UInt8] {
        if filled > 0 { close() }
        var writer = RecordWriter()
        for checksum in checksums { writer.append(checksum) }
        return writer.bytes
    }

    /// Reads the checksums after the content; `nil` if they do not match their own checksum.
    init?(trailer: [UInt8], checksum: UInt32) {
        guard CRC32C.checksum(trailer) == checksum else { return nil }
        var reader = RecordReader(trailer[...])
        while let checksum = reader.number() { checksums.append(checksum) }
    }

    /// Whether these bytes are the undamaged block at an index.
    func isIntact(_ bytes: ArraySlice<UInt8>, at index: Int) -> Bool {
        checksums.indices ~= index && CRC32C.checksum(bytes) == checksums[index]
    }
}
