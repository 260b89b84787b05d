/// The checksum of records in files: CRC-32C (Castagnoli), eight bytes at a time from tables.
///
/// Detects every error burst of up to 32 bits; it does not protect against deliberate changes.
/// - SeeAlso: [RFC 3720, B.4](https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4)
package struct CRC32C: RunningHash {
    private var remainder: UInt32 = .max

    package init() {}

    package var value: UInt32 { ~remainder }

    /// The four bytes of the checksum, the highest one first.
    package var digest: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        remainder = CRC32.continued(remainder, by: bytes, CRC32C.tables)
    }

    package static func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
        var crc = CRC32C()
        crc.update(bytes)
        return crc.value
    }

    private static let tables = CRC32.tables(of: 0x82F6_3B78)
}

/// The checksum of gzip: CRC-32.
///
/// - SeeAlso: [RFC 1952, 8](https://www.rfc-editor.org/rfc/rfc1952#section-8)
package struct CRC32: RunningHash {
    private var remainder: UInt32 = .max

    package init() {}

    /// The four bytes of the checksum, the highest one first.
    package var digest: [UInt8] { withUnsafeBytes(of: (~remainder).bigEndian) { Array($0) } }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        remainder = CRC32.continued(remainder, by: bytes, CRC32.tables)
    }

    private static let tables = tables(of: 0xEDB8_8320)

    fileprivate static func continued(_ crc: UInt32, by bytes: UnsafeRawBufferPointer, _ tables: [UInt32]) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc = crc
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

    /// Eight tables of 256: the effect of a byte on the remainder 0 to 7 bytes after it.
    fileprivate static func tables(of polynomial: UInt32) -> [UInt32] {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ polynomial : crc >> 1 }
            tables[byte] = crc
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = tables[Int(before & 255)] ^ before >> 8
        }
        return tables
    }
}
