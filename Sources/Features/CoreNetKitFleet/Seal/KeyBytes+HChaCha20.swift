package import CoreNetKitEssentials

/// Derives a key of ChaCha20-Poly1305 for each long nonce, so that random nonces do not repeat.
///
/// The one block of ChaCha20 that no library gives out. It uses only additions, rotations and exclusive ors of 32-bit words,
/// so its running time does not depend on the key.
/// - SeeAlso: [draft-irtf-cfrg-xchacha, 2.2](https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha#section-2.2)
extension KeyBytes {
    private typealias Row = SIMD4<UInt32>

    /// The key for one nonce, of which it takes the first 16 bytes.
    package func derived(for nonce: Data) -> KeyBytes {
        // "expand 32-byte k".
        var a = Row(0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574)
        var (b, c) = withUnsafeBytes { (Self.row($0, 0), Self.row($0, 16)) }
        var d = nonce.withUnsafeBytes { Self.row($0, 0) }
        // Twenty rounds: columns, then diagonals, ten times.
        for _ in 0..<10 {
            Self.quarter(&a, &b, &c, &d)
            b = b[SIMD4(1, 2, 3, 0)]
            c = c[SIMD4(2, 3, 0, 1)]
            d = d[SIMD4(3, 0, 1, 2)]
            Self.quarter(&a, &b, &c, &d)
            b = b[SIMD4(3, 0, 1, 2)]
            c = c[SIMD4(2, 3, 0, 1)]
            d = d[SIMD4(1, 2, 3, 0)]
        }
        return KeyBytes { bytes in
            for index in 0..<4 {
                bytes.storeBytes(of: a[index].littleEndian, toByteOffset: 4 * index, as: UInt32.self)
                bytes.storeBytes(of: d[index].littleEndian, toByteOffset: 16 + 4 * index, as: UInt32.self)
            }
        }
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

    private static func row(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Row {
        func word(_ index: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self))
        }
        return Row(word(0), word(1), word(2), word(3))
    }
}

extension SIMD4<UInt32> {
    fileprivate subscript(_ order: SIMD4<Int>) -> SIMD4<UInt32> {
        SIMD4(self[order.x], self[order.y], self[order.z], self[order.w])
    }
}
