/// Content in gzip and zlib, made without their libraries: zeros, 158 for each byte, or blocks that are not compressed.
package enum Gzip {
    private static let head = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])

    package static func zeros(_ count: Int) -> Data {
        head + deflatedZeros(count) + end(checksum(ofZeros: count), count)
    }

    /// In the format of zlib, which is called `deflate`.
    package static func zlibZeros(_ count: Int) -> Data {
        Data([0x78, 0x9C]) + deflatedZeros(count) + adler(ofZeros: count)
    }

    private static func deflatedZeros(_ count: Int) -> [UInt8] {
        var bits = BitWriter()
        // The last block, with fixed codes: literals 0 (00110000), then "258 bytes from one back" (11000101, 00000).
        bits.put(3, 3)
        let repeats = max(0, (count - 1) / 258)
        for _ in 0..<(count - repeats * 258) { bits.put(0b0000_1100, 8) }
        for _ in 0..<repeats { bits.put(0b1010_0011, 13) }
        bits.put(0, 7)
        bits.align()
        return bits.bytes
    }

    package static func stored(_ content: Data) -> Data {
        var bytes = head
        for start in stride(from: 0, to: content.count, by: 60_000) {
            let block = content.dropFirst(start).prefix(60_000)
            let size = UInt16(block.count)
            bytes.append(start + block.count == content.count ? 1 : 0)
            for value in [size, ~size] { bytes.append(contentsOf: [UInt8(value & 255), UInt8(value >> 8)]) }
            bytes.append(block)
        }
        return bytes + end(checksum(of: content), content.count)
    }

    package static func adler(ofZeros count: Int) -> Data {
        let sum = UInt32(count % 65_521) << 16 | 1
        return Data((0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) })
    }

    private static func end(_ checksum: UInt32, _ count: Int) -> Data {
        Data(
            [checksum, UInt32(truncatingIfNeeded: count)].flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            }
        )
    }

    /// Zeros change a checksum linearly: each power of two of them is one operator, by the bits of the value.
    private static func checksum(ofZeros count: Int) -> UInt32 {
        func applied(_ operation: [UInt32], _ value: UInt32) -> UInt32 {
            operation.indices.reduce(0) { value >> UInt32($1) & 1 == 1 ? $0 ^ operation[$1] : $0 }
        }
        var operation = (0..<32).map { bit in shifted(UInt32(1) << UInt32(bit)) }
        var (value, count) = (~UInt32(0), count)
        while count > 0 {
            if count & 1 == 1 { value = applied(operation, value) }
            operation = operation.map { applied(operation, $0) }
            count >>= 1
        }
        return ~value
    }

    private static func checksum(of content: Data) -> UInt32 {
        let table = (0..<256).map { shifted(UInt32($0)) }
        return ~table.withUnsafeBufferPointer { table in
            content.withUnsafeBytes { bytes in
                var value = ~UInt32(0)
                for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
                return value
            }
        }
    }

    /// The remainder after eight more bits.
    private static func shifted(_ value: UInt32) -> UInt32 {
        (0..<8).reduce(value) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
}

/// Bits from the lowest on.
package struct BitWriter {
    package private(set) var bytes: [UInt8] = []
    private var pending = 0
    private var filled = 0

    package init() {}

    package mutating func put(_ value: Int, _ width: Int) {
        pending |= value << filled
        filled += width
        while filled >= 8 {
            bytes.append(UInt8(pending & 255))
            pending >>= 8
            filled -= 8
        }
    }

    package mutating func align() { if filled > 0 { put(0, 8 - filled) } }
}
