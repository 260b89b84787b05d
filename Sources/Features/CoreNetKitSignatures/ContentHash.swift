import CoreNetKitEssentials
import CoreNetKitSystem

/// The SHA-256 of bytes that may arrive in pieces, or with a key their HMAC-SHA-256.
///
/// - SeeAlso: [RFC 6234](https://www.rfc-editor.org/rfc/rfc6234)
public struct ContentHash: Sendable, CustomReflectable {
    private var inner = SHA256()
    /// The outer hash of an HMAC, before the inner digest is added.
    private var outer: SHA256?

    /// Creates the SHA-256 of no bytes yet.
    public init() {}

    /// Creates the HMAC of no bytes yet, with a key of any length.
    public init(key: some Collection<UInt8>) {
        var block = key.count > 64 ? SHA256.digest(key) : Array(key)
        block.append(contentsOf: repeatElement(0, count: 64 - block.count))
        inner.update(block.map { $0 ^ 0x36 })
        var outer = SHA256()
        outer.update(block.map { $0 ^ 0x5C })
        self.outer = outer
    }

    /// Adds bytes.
    public mutating func update(_ bytes: some Collection<UInt8>) { inner.update(bytes) }

    /// The 32 bytes of the result; more bytes may be added afterwards.
    public var bytes: [UInt8] {
        guard var outer else { return inner.digest }
        outer.update(inner.digest)
        return outer.digest
    }
    /// The result as 64 lower-case hexadecimal digits.
    public var hex: String { Hex.encode(bytes) }
    /// The result in Base64.
    public var base64: String { Data(bytes).base64EncodedString() }
    /// The result only: with the state of an HMAC, anyone could sign.
    public var customMirror: Mirror { Mirror(self, children: ["hex": hex], displayStyle: .struct) }

    /// The SHA-256 of bytes.
    public static func sha256(_ bytes: some Collection<UInt8>) -> ContentHash { ContentHash().adding(bytes) }

    /// The HMAC-SHA-256 of bytes, with a key of any length.
    public static func hmac(_ bytes: some Collection<UInt8>, key: some Collection<UInt8>) -> ContentHash {
        ContentHash(key: key).adding(bytes)
    }

    private func adding(_ bytes: some Collection<UInt8>) -> ContentHash {
        var hash = self
        hash.update(bytes)
        return hash
    }
}
