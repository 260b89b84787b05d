/// The one-time authenticator Poly1305.
///
/// Numbers below 2¹³⁰ in five limbs of 26 bits, so that no product or sum of limbs exceeds 64 bits. No branch and no index
/// depends on a secret.
/// - SeeAlso: [RFC 8439, 2.5](https://www.rfc-editor.org/rfc/rfc8439#section-2.5)
package struct Poly1305 {
    private typealias Limbs = (UInt64, UInt64, UInt64, UInt64, UInt64)

    private static let mask: UInt64 = 0x3ff_ffff

    /// The first half of the key, without the bits that the algorithm clears.
    private let factor: Limbs
    /// The second half of the key, added at the end.
    private let addend: (UInt64, UInt64)
    private var sum: Limbs = (0, 0, 0, 0, 0)

    /// Prepares a key.
    ///
    /// - Parameter key: 32 bytes, for a single message.
    private init(key: [UInt8]) {
        let (low, high) = (Self.number(key, 0), Self.number(key, 8))
        factor = Self.limbs(low & 0x0fff_fffc_0fff_ffff, high & 0x0fff_fffc_0fff_fffc, top: 0)
        addend = (Self.number(key, 16), Self.number(key, 24))
    }

    /// Computes the 16-byte tag of a message.
    package static func tag(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var state = Poly1305(key: key)
        let whole = message.count / 16 * 16
        message.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: whole, by: 16) {
                let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
                let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
                state.add(low, high, top: 1)
            }
        }
        if whole < message.count {
            let rest = message[whole...] + [1] + Array(repeating: 0, count: 15)
            let last = Array(rest.prefix(16))
            state.add(number(last, 0), number(last, 8), top: 0)
        }
        return state.tag
    }

    private mutating func add(_ low: UInt64, _ high: UInt64, top: UInt64) {
        let block = Self.limbs(low, high, top: top)
        sum.0 &+= block.0
        sum.1 &+= block.1
        sum.2 &+= block.2
        sum.3 &+= block.3
        sum.4 &+= block.4
        multiply()
    }

    /// Multiplies the sum by the factor modulo 2¹³⁰ − 5: the bits above 130 are multiplied by five and added at the bottom.
    private mutating func multiply() {
        let (h, r) = (sum, factor)
        let (s1, s2, s3, s4) = (r.1 &* 5, r.2 &* 5, r.3 &* 5, r.4 &* 5)
        let d0 = h.0 &* r.0 &+ h.1 &* s4 &+ h.2 &* s3 &+ h.3 &* s2 &+ h.4 &* s1
        let d1 = h.0 &* r.1 &+ h.1 &* r.0 &+ h.2 &* s4 &+ h.3 &* s3 &+ h.4 &* s2
        let d2 = h.0 &* r.2 &+ h.1 &* r.1 &+ h.2 &* r.0 &+ h.3 &* s4 &+ h.4 &* s3
        let d3 = h.0 &* r.3 &+ h.1 &* r.2 &+ h.2 &* r.1 &+ h.3 &* r.0 &+ h.4 &* s4
        let d4 = h.0 &* r.4 &+ h.1 &* r.3 &+ h.2 &* r.2 &+ h.3 &* r.1 &+ h.4 &* r.0
        sum = Self.carried((d0, d1, d2, d3, d4))
    }

    private static func carried(_ d: Limbs) -> Limbs {
        let d1 = d.1 &+ d.0 >> 26
        let d2 = d.2 &+ d1 >> 26
        let d3 = d.3 &+ d2 >> 26
        let d4 = d.4 &+ d3 >> 26
        let d0 = d.0 & mask &+ (d4 >> 26) &* 5
        return (d0 & mask, d1 & mask &+ d0 >> 26, d2 & mask, d3 & mask, d4 & mask)
    }

    private var tag: [UInt8] {
        let h = Self.carried(Self.carried(sum))
        // Subtracts the prime if the result is not negative, with masks instead of branches.
        let g0 = h.0 &+ 5
        let g1 = h.1 &+ g0 >> 26
        let g2 = h.2 &+ g1 >> 26
        let g3 = h.3 &+ g2 >> 26
        let g4 = h.4 &+ g3 >> 26
        let takes = 0 &- (g4 >> 26)
        let f0 = h.0 & ~takes | g0 & Self.mask & takes
        let f1 = h.1 & ~takes | g1 & Self.mask & takes
        let f2 = h.2 & ~takes | g2 & Self.mask & takes
        let f3 = h.3 & ~takes | g3 & Self.mask & takes
        let f4 = h.4 & ~takes | g4 & Self.mask & takes
        let (low, carry) = (f0 | f1 << 26 | f2 << 52).addingReportingOverflow(addend.0)
        let high = (f2 >> 12 | f3 << 14 | f4 << 40) &+ addend.1 &+ (carry ? 1 : 0)
        return [low, high].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    }

    private static func limbs(_ low: UInt64, _ high: UInt64, top: UInt64) -> Limbs {
        (
            low & mask, low >> 26 & mask, (low >> 52 | high << 12) & mask, high >> 14 & mask,
            high >> 40 | top << 24
        )
    }

    private static func number(_ bytes: [UInt8], _ start: Int) -> UInt64 {
        (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[start + $1]) << UInt64($1 * 8) }
    }
}
