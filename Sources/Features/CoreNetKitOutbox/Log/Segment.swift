import CoreNetKitSystem

/// The head of a segment, written twice so that one damaged bit does not cost the segment.
///
/// Little endian: magic, format `u16`, flags `u16`, zero `u32`, segment `u64`, made `u64` in milliseconds since 1970, salt
/// `u64`, zero `u32`, CRC-32C `u32` of all before it.
struct SegmentHead: Hashable, Sendable {
    var segment: UInt64
    var made: UInt64
    var salt: UInt64
    var replacesEarlier = false

    /// The length of both copies.
    static let count = 96
    private static let copyCount = 48
    private static let magic = Array("CNKBOX1\n".utf8)
    static let format: UInt16 = 1

    var bytes: [UInt8] {
        var copy = Self.magic
        copy.append(little: Self.format)
        copy.append(little: UInt16(replacesEarlier ? 1 : 0))
        copy.append(little: UInt32(0))
        copy.append(little: segment)
        copy.append(little: made)
        copy.append(little: salt)
        copy.append(little: UInt32(0))
        copy.append(little: CRC32C.checksum(copy))
        return copy + copy
    }

    /// The head of a file; `nil` if both copies are damaged, an error if it has a later version of this format.
    static func read(_ bytes: [UInt8], of path: String) throws(OutboxError) -> SegmentHead? {
        for start in [0, copyCount] where start + copyCount <= bytes.count {
            func number<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
                bytes.withUnsafeBytes { $0.little(at: start + offset) }
            }
            let head = bytes[start..<start + 44]
            guard head.starts(with: magic), CRC32C.checksum(head) == number(at: 44) else { continue }
            let (format, segment): (UInt16, UInt64) = (number(at: 8), number(at: 16))
            guard format == Self.format else {
                throw .newer("\(path) has format \(format), this version reads \(Self.format)")
            }
            guard segment <= LogRecord.highestNumber else { continue }
            let flags: UInt16 = number(at: 10)
            let (made, salt): (UInt64, UInt64) = (number(at: 24), number(at: 32))
            return SegmentHead(segment: segment, made: made, salt: salt, replacesEarlier: flags & 1 == 1)
        }
        return nil
    }
}

extension SegmentHead {
    /// Reads all records of the segment; `visit` gets each whole one, its offset and its length in the file.
    ///
    /// Returns the damaged ranges between records, and the end of the last whole record: what follows was not written
    /// completely, or is damaged up to the end.
    func scan(
        _ bytes: UnsafeRawBufferPointer,
        _ visit: (LogRecord, _ offset: Int, _ count: Int) throws(OutboxError) -> Void
    ) throws(OutboxError) -> (damaged: [Range<Int>], end: Int) {
        var damaged: [Range<Int>] = []
        var offset = Self.count
        var end = offset
        // Bounds the search, which may compute checksums of long ranges again and again.
        var budget = 64 << 20
        while offset < bytes.count {
            if let (record, count) = LogRecord.decode(bytes, at: offset, salt: salt) {
                try visit(record, offset, count)
                offset += count
                // The last record's padding may be missing: the end is where it would have ended.
                end = offset
                continue
            }
            guard let next = nextRecord(in: bytes, after: offset, &budget) else {
                let tail = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                if LogRecord.isDamaged(tail, salt: salt) { damaged.append(offset..<bytes.count) }
                break
            }
            damaged.append(offset..<next)
            offset = next
        }
        return (damaged, end)
    }

    private func nextRecord(in bytes: UnsafeRawBufferPointer, after offset: Int, _ budget: inout Int) -> Int? {
        var offset = offset + 8
        while offset + LogRecord.headCount + 4 <= bytes.count, budget > 0 {
            if bytes.little(UInt32.self, at: offset) == LogRecord.marker {
                budget -= min(Int(bytes.little(UInt32.self, at: offset + 4)), bytes.count)
                if LogRecord.decode(bytes, at: offset, salt: salt) != nil { return offset }
            }
            offset += 8
        }
        return nil
    }
}
