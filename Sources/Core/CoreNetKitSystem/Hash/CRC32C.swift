/// The checksum of records in files: CRC-32C (Castagnoli), eight bytes at a time from tables.
///
/// Detects every error burst of up to 32 bits; it does not protect against deliberate changes.
/// - SeeAlso: [RFC 3720, B.4](https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4)
package struct CRC32C: Sendable {
    private var remainder: UInt32 = .max

    package init() {}

    /// The checksum of the bytes so far.
    package var value: UInt32 { ~remainder }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        remainder = CRC32C.tables.withUnsafeBufferPointer { tables in
            var crc = remainder
            var index = 0
            while index + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let low = UInt32(truncatingIfNeeded: word) ^ crc
                let high = UInt32(truncatingIfNeeded: word >> 32)
                crc =
                    tables[7 * 256 + Int(low & 255)] ^ tables[6 * 256 + Int(low >> 8 & 255)]
                    ^ tables[5 * 256 + Int(low >> 16 & 255)] ^ tables[4 * 256 + Int(low >> 24)]
                    ^ tables[3 * 256 + Int(high & 255)] ^ tables[2 * 256 + Int(high >> 8 & 255)]
                    ^ tables[256 + Int(high >> 16 & 255)] ^ tables[Int(high >> 24)]
                index += 8
            }
            while index < bytes.count {
                crc = tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])] ^ crc >> 8
                index += 1
            }
            return crc
        }
    }

    /// Adds bytes.
    package mutating func update(_ bytes: some Collection<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }

    /// The checksum of some bytes.
    package static func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
        var crc = CRC32C()
        crc.update(bytes)
        return crc.value
    }

    /// Eight tables of 256: the effect of a byte on the remainder 0 to 7 bytes after it.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
            tables[byte] = crc
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = tables[Int(before & 255)] ^ before >> 8
        }
        return tables
    }()
}
