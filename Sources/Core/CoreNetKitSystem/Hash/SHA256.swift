/// SHA-256 of bytes that arrive in pieces.
///
/// In plain Swift, since neither the runtime nor the platform provides it on Linux.
/// - SeeAlso: [FIPS 180-4, 6.2](https://csrc.nist.gov/pubs/fips/180-4/upd1/final)
package struct SHA256: RunningHash {
    private var words: SIMD8<UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var pending: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var index = 0
        if !pending.isEmpty {
            index = min(64 - pending.count, bytes.count)
            pending.append(contentsOf: bytes[..<index])
            guard pending.count == 64 else { return }
            pending.withUnsafeBytes { Self.add(block: $0, at: 0, to: &words) }
            pending.removeAll(keepingCapacity: true)
        }
        while index + 64 <= bytes.count {
            Self.add(block: bytes, at: index, to: &words)
            index += 64
        }
        pending.append(contentsOf: bytes[index...])
    }

    package var digest: [UInt8] {
        var last = pending
        last.append(0x80)
        let zeros = last.count <= 56 ? 56 - last.count : 120 - last.count
        last.append(contentsOf: repeatElement(0, count: zeros))
        withUnsafeBytes(of: (count &* 8).bigEndian) { last.append(contentsOf: $0) }
        var words = words
        last.withUnsafeBytes { last in
            for index in stride(from: 0, to: last.count, by: 64) { Self.add(block: last, at: index, to: &words) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for index in 0..<8 {
            withUnsafeBytes(of: words[index].bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.digest
    }

    private static func add(block: UnsafeRawBufferPointer, at start: Int, to words: inout SIMD8<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            for index in 0..<16 {
                let word = block.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self)
                schedule[index] = UInt32(bigEndian: word)
            }
            for index in 16..<64 {
                let early = schedule[index - 15]
                let late = schedule[index - 2]
                let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
                let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
                schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
            }
            roundConstants.withUnsafeBufferPointer { constants in mix(schedule, constants, into: &words) }
        }
    }

    private static func mix(
        _ schedule: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>,
        into words: inout SIMD8<UInt32>
    ) {
        var (a, b, c, d) = (words[0], words[1], words[2], words[3])
        var (e, f, g, h) = (words[4], words[5], words[6], words[7])
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let majority = a & b ^ a & c ^ b & c
            let high = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let low = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let first = h &+ high &+ choice &+ constants[index] &+ schedule[index]
            let second = low &+ majority
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        words &+= SIMD8(a, b, c, d, e, f, g, h)
    }
}

extension UInt32 {
    fileprivate func rotated(_ bits: UInt32) -> UInt32 { self >> bits | self << (32 - bits) }
}

private let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]

/// A key for something without a short name of its own: the first 128 bits of its SHA-256.
///
/// Collisions cannot be constructed, so it suits keys whose text comes from a server or a user.
package struct Hash128: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(of bytes: some Collection<UInt8>) { self.init(SHA256.digest(bytes)) }

    package init(of text: String) { self.init(of: text.utf8) }

    package init(_ digest: [UInt8]) {
        var words: [UInt64] = [0, 0]
        for (index, byte) in digest.prefix(16).enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        (high, low) = (words[0], words[1])
    }

    package var description: String {
        Hex.encode([high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } })
    }
}
