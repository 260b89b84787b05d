/// The stream cipher ChaCha20, and HChaCha20, which derives a separate key for each long nonce.
///
/// It uses only additions, rotations and exclusive ors of 32-bit words, so its running time does not depend on the key.
/// - SeeAlso: [RFC 8439, 2.3](https://www.rfc-editor.org/rfc/rfc8439#section-2.3)
package struct ChaCha20 {
    private typealias Row = SIMD4<UInt32>

    /// "expand 32-byte k".
    private static let constants = Row(0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574)

    private let key: (Row, Row)
    private let nonce: SIMD3<UInt32>

    /// Prepares a key and a nonce.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, never used twice with one key.
    package init(key: [UInt8], nonce: [UInt8]) {
        self.key = (Self.row(key, 0), Self.row(key, 16))
        self.nonce = SIMD3(Self.word(nonce, 0), Self.word(nonce, 4), Self.word(nonce, 8))
    }

    /// One 64-byte block of the key stream.
    package func block(_ counter: UInt32) -> [UInt8] { withUnsafeBytes(of: rows(counter)) { Array($0) } }

    private func rows(_ counter: UInt32) -> SIMD16<UInt32> {
        let last = Row(counter, nonce.x, nonce.y, nonce.z)
        let (a, b, c, d) = Self.mixed(Self.constants, key.0, key.1, last)
        return Self.littleEndian(a &+ Self.constants, b &+ key.0, c &+ key.1, d &+ last)
    }

    /// Encrypts or decrypts bytes; both are the same operation.
    ///
    /// - Parameters:
    ///   - bytes: At most 256 GiB.
    ///   - first: The number of the first block.
    /// - Returns: The same number of bytes.
    package func applied(to bytes: some Sequence<UInt8>, from first: UInt32) -> [UInt8] {
        var result = Array(bytes)
        result.withUnsafeMutableBytes { result in
            var counter = first
            for start in stride(from: 0, to: result.count, by: 64) {
                withUnsafeBytes(of: rows(counter)) { stream in
                    for index in start..<min(start + 64, result.count) { result[index] ^= stream[index - start] }
                }
                counter &+= 1
            }
        }
        return result
    }

    /// Derives the key for one nonce of XChaCha20.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: The first 16 bytes of the nonce.
    /// - Returns: 32 bytes.
    /// - SeeAlso: [draft-irtf-cfrg-xchacha, 2.2](https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha#section-2.2)
    package static func derivedKey(_ key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        let (a, _, _, d) = mixed(constants, row(key, 0), row(key, 16), row(nonce, 0))
        return withUnsafeBytes(of: littleEndian(a, d, a, d)) { Array($0.prefix(32)) }
    }

    /// Runs twenty rounds: columns, then diagonals, ten times.
    private static func mixed(_ a: Row, _ b: Row, _ c: Row, _ d: Row) -> (Row, Row, Row, Row) {
        var (a, b, c, d) = (a, b, c, d)
        for _ in 0..<10 {
            quarter(&a, &b, &c, &d)
            b = b[SIMD4(1, 2, 3, 0)]
            c = c[SIMD4(2, 3, 0, 1)]
            d = d[SIMD4(3, 0, 1, 2)]
            quarter(&a, &b, &c, &d)
            b = b[SIMD4(3, 0, 1, 2)]
            c = c[SIMD4(2, 3, 0, 1)]
            d = d[SIMD4(1, 2, 3, 0)]
        }
        return (a, b, c, d)
    }

    /// Computes four quarter rounds in parallel.
    private static func quarter(_ a: inout Row, _ b: inout Row, _ c: inout Row, _ d: inout Row) {
        a &+= b
        d = rotated(d ^ a, 16)
        c &+= d
        b = rotated(b ^ c, 12)
        a &+= b
        d = rotated(d ^ a, 8)
        c &+= d
        b = rotated(b ^ c, 7)
    }

    private static func rotated(_ row: Row, _ count: UInt32) -> Row {
        row &<< Row(repeating: count) | row &>> Row(repeating: 32 - count)
    }

    private static func row(_ bytes: [UInt8], _ start: Int) -> Row {
        Row(word(bytes, start), word(bytes, start + 4), word(bytes, start + 8), word(bytes, start + 12))
    }

    private static func word(_ bytes: [UInt8], _ start: Int) -> UInt32 {
        UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
            | UInt32(bytes[start + 3]) << 24
    }

    /// Converts words to little-endian byte order.
    private static func littleEndian(_ a: Row, _ b: Row, _ c: Row, _ d: Row) -> SIMD16<UInt32> {
        let words = SIMD16(lowHalf: SIMD8(lowHalf: a, highHalf: b), highHalf: SIMD8(lowHalf: c, highHalf: d))
        #if _endian(big)
            var swapped = words
            for index in words.indices { swapped[index] = words[index].byteSwapped }
            return swapped
        #else
            return words
        #endif
    }
}

extension SIMD4<UInt32> {
    /// The row with its elements reordered.
    fileprivate subscript(_ order: SIMD4<Int>) -> SIMD4<UInt32> {
        SIMD4(self[order.x], self[order.y], self[order.z], self[order.w])
    }
}
