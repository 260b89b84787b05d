import CoreNetKitSystem

/// One record of the log: an event of the entry with this number.
///
/// In the file, little endian: marker `u32`, length of the payload `u32`, kind `u8`, flags `u8`, zero `u16`, number `u64`,
/// payload, CRC-32C `u32` of the segment's salt and all before it, zeros up to a multiple of eight.
struct LogRecord: Hashable, Sendable {
    struct Kind: RawRepresentable, Hashable, Sendable {
        let rawValue: UInt8

        static let entry = Kind(rawValue: 1)
        static let sending = Kind(rawValue: 2)
        static let failed = Kind(rawValue: 3)
        static let delivered = Kind(rawValue: 4)
        static let dead = Kind(rawValue: 5)
        static let cancelled = Kind(rawValue: 6)
        static let replaced = Kind(rawValue: 7)
        static let inDoubt = Kind(rawValue: 8)
        static let checkpoint = Kind(rawValue: 9)
        static let expired = Kind(rawValue: 11)
        static let revived = Kind(rawValue: 12)
        static let dropped = Kind(rawValue: 13)

        var isKnown: Bool { (1...9).contains(rawValue) || (11...13).contains(rawValue) }
    }

    var kind: Kind
    var flags: UInt8 = 0
    var number: UInt64
    var payload: [UInt8] = []

    /// A reader that does not know the kind may skip the record; without the flag it must not open the log.
    static let skippable: UInt8 = 1
    static let marker: UInt32 = 0xB0C5_1E55
    /// The length of the fields before the payload.
    static let headCount = 20
    static let longestPayload = 1 << 20
    /// The highest number of an entry or a segment: a higher one is damage, so that there is always a next one.
    static let highestNumber: UInt64 = 1 << 62

    var encodedCount: Int { Self.encodedCount(payload: payload.count) }

    static func encodedCount(payload count: Int) -> Int { (headCount + count + 4 + 7) / 8 * 8 }

    func encode(salt: UInt64, into bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(little: Self.marker)
        bytes.append(little: UInt32(truncatingIfNeeded: payload.count))
        bytes.append(kind.rawValue)
        bytes.append(flags)
        bytes.append(little: UInt16(0))
        bytes.append(little: number)
        bytes.append(contentsOf: payload)
        let checksum = bytes.withUnsafeBytes {
            Self.checksum(UnsafeRawBufferPointer(rebasing: $0[start...]), salt: salt)
        }
        bytes.append(little: checksum)
        bytes.append(contentsOf: repeatElement(0, count: start + encodedCount - bytes.count))
    }

    /// The record at an offset and its length, checked before anything is allocated; `nil` if there is no whole record.
    static func decode(_ bytes: UnsafeRawBufferPointer, at offset: Int, salt: UInt64) -> (LogRecord, count: Int)? {
        guard offset + headCount + 4 <= bytes.count, bytes.little(UInt32.self, at: offset) == marker else { return nil }
        let length = Int(bytes.little(UInt32.self, at: offset + 4))
        guard length <= longestPayload, offset + headCount + length + 4 <= bytes.count else { return nil }
        let end = offset + headCount + length
        let stored = bytes.little(UInt32.self, at: end)
        guard checksum(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), salt: salt) == stored else { return nil }
        let number: UInt64 = bytes.little(at: offset + 12)
        guard number <= highestNumber else { return nil }
        let record = LogRecord(
            kind: Kind(rawValue: bytes[offset + 8]),
            flags: bytes[offset + 9],
            number: number,
            payload: [UInt8](bytes[(offset + headCount)..<end])
        )
        return (record, encodedCount(payload: length))
    }

    // The salt prevents a record planted in a body from being read as one of the log's own.
    private static func checksum(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> UInt32 {
        var crc = CRC32C()
        withUnsafeBytes(of: salt.littleEndian) { crc.update($0) }
        crc.update(bytes)
        return crc.value
    }

    /// Whether unreadable bytes at the end of a segment are a damaged record, and not one whose writing was interrupted
    /// by the end of the process (it is short) or of the machine (it ends in zeros).
    static func isDamaged(_ tail: UnsafeRawBufferPointer, salt: UInt64) -> Bool {
        let end = tail.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        let begin = withUnsafeBytes(of: marker.littleEndian) { Array($0) }
        guard end > 4 else { return !begin.starts(with: tail.prefix(end)) }
        guard tail.starts(with: begin) else { return true }
        guard tail.count >= headCount + 4 else { return false }
        let length = Int(tail.little(UInt32.self, at: 4))
        let checksum = headCount + length
        if length <= longestPayload, checksum + 4 <= tail.count, tail.little(UInt32.self, at: checksum) != 0 {
            return true
        }
        // The length itself may be damaged: then a record of another length fills the tail.
        let longest = tail.count - headCount - 4
        return (max(longest - 7, 0)...longest).contains { isWhole(tail, withLength: $0, salt: salt) }
    }

    private static func isWhole(_ bytes: UnsafeRawBufferPointer, withLength length: Int, salt: UInt64) -> Bool {
        var crc = CRC32C()
        withUnsafeBytes(of: salt.littleEndian) { crc.update($0) }
        crc.update(bytes[..<4])
        withUnsafeBytes(of: UInt32(length).littleEndian) { crc.update($0) }
        crc.update(bytes[8..<headCount + length])
        return crc.value == bytes.little(UInt32.self, at: headCount + length)
    }
}

extension [UInt8] {
    mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The number at an offset; the caller has checked that it is in bounds.
    func little<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}

/// Runs file work; its errors become `storage`.
func mappingFiles<Value>(_ work: () throws(FileError) -> Value) throws(OutboxError) -> Value {
    do { return try work() } catch { throw OutboxError(error) }
}
