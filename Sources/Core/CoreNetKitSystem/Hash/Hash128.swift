/// A key for something without a short name of its own: the first 128 bits of its SHA-256.
///
/// Collisions cannot be constructed, so it suits keys whose text comes from a server or a user.
package struct Hash128: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    /// The key of some bytes.
    package init(of bytes: some Collection<UInt8>) {
        self.init(SHA256.digest(bytes))
    }

    /// The key of a text's UTF-8.
    package init(of text: String) { self.init(of: text.utf8) }

    /// The first 128 bits of an existing digest.
    package init(_ digest: [UInt8]) {
        var words: [UInt64] = [0, 0]
        for (index, byte) in digest.prefix(16).enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        (high, low) = (words[0], words[1])
    }

    /// 32 lower-case hexadecimal digits.
    package var description: String {
        Hex.encode([high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } })
    }
}
