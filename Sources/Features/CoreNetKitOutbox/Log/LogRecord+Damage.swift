import CoreNetKitSystem

extension LogRecord {
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
