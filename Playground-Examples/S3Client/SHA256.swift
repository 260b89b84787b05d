import Foundation

/// SHA-256 (FIPS 180-4) and its keyed form (RFC 2104), because the package depends on no library that has them.
enum SHA256 {
    static func hash(_ data: Data) -> Data {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        var bytes = [UInt8](data)
        bytes.append(0x80)
        bytes.append(contentsOf: [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64))
        withUnsafeBytes(of: UInt64(data.count * 8).bigEndian) { bytes.append(contentsOf: $0) }
        var words = [UInt32](repeating: 0, count: 64)
        for start in stride(from: 0, to: bytes.count, by: 64) {
            for index in 0..<16 {
                words[index] = (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[start + 4 * index + $1]) }
            }
            mix(&state, &words)
        }
        return Data(state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } })
    }

    static func authenticate(_ data: Data, key: Data) -> Data {
        let short = key.count > 64 ? hash(key) : key
        let padded = short + Data(repeating: 0, count: 64 - short.count)
        return hash(Data(padded.map { $0 ^ 0x5c }) + hash(Data(padded.map { $0 ^ 0x36 }) + data))
    }

    private static func mix(_ state: inout [UInt32], _ words: inout [UInt32]) {
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let third = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let first = h &+ third &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
            let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
        return primes.map { prime in
            let root = cbrt(Double(prime))
            return UInt32((root - root.rounded(.down)) * 4_294_967_296)
        }
    }()
}

extension Data {
    /// Two lower-case digits for each byte.
    var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
