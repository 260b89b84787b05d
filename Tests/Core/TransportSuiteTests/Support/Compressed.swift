import TestSupport

/// Compressed content, and content that expands beyond measure.
enum Compressed {
    static let text = "hello, compressed world"

    /// One text in every encoding, made with gzip, zlib, zstd; brotli as one block that is not compressed.
    static let samples: [(encoding: String, bytes: [UInt8])] = [
        (
            "gzip",
            [
                31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 215, 81, 72, 206, 207, 45, 40, 74, 45, 46, 78,
                77, 81, 40, 207, 47, 202, 73, 1, 0, 8, 158, 52, 53, 23, 0, 0, 0,
            ]
        ),
        (
            "deflate",
            [
                120, 156, 203, 72, 205, 201, 201, 215, 81, 72, 206, 207, 45, 40, 74, 45, 46, 78, 77, 81, 40, 207, 47,
                202, 73, 1, 0, 104, 178, 8, 222,
            ]
        ),
        ("br", [0x0B, 0x0B, 0x80] + Array(text.utf8) + [0x03]),
        ("zstd", [40, 181, 47, 253, 0, 88, 185, 0, 0] + Array(text.utf8)),
    ]

    /// Zeros in zlib's format, each byte of it about 158 of them.
    static func zeros(_ count: Int) -> Data {
        var writer = BitWriter(bytes: [0x78, 0x9C])
        // The last block, with the fixed codes: one literal zero, then "258 bytes from one byte back".
        writer.write(1, 1)
        writer.write(1, 2)
        writer.write(reversed: 0b0011_0000, 8)
        var rest = count - 1
        while rest >= 258 {
            writer.write(reversed: 0b1100_0101, 8)
            writer.write(0, 5)
            rest -= 258
        }
        for _ in 0..<rest { writer.write(reversed: 0b0011_0000, 8) }
        writer.write(0, 7)
        writer.flush()
        let adler = UInt32(count % 65521) << 16 | 1
        return Data(writer.bytes + (0..<4).map { UInt8(truncatingIfNeeded: adler >> (24 - 8 * $0)) })
    }

    private struct BitWriter {
        var bytes: [UInt8]
        private var pending: UInt32 = 0
        private var count = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func write(_ value: UInt32, _ bits: Int) {
            pending |= value << count
            count += bits
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: pending))
                pending >>= 8
                count -= 8
            }
        }

        mutating func write(reversed value: UInt32, _ bits: Int) {
            for bit in stride(from: bits - 1, through: 0, by: -1) { write(value >> bit & 1, 1) }
        }

        mutating func flush() {
            if count > 0 { write(0, 8 - count) }
        }
    }
}
