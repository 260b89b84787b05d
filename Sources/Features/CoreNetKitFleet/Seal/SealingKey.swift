public import CoreNetKitEssentials

/// A 32-byte key with an id; its bytes are never printed.
public struct SealingKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id, stored in plain text with each value that was sealed with the key.
    public let id: String
    let bytes: [UInt8]

    /// Creates a key from bytes.
    ///
    /// - Parameters:
    ///   - id: The key's id, 1 to 255 bytes of UTF-8, different for each key: a date, for example.
    ///   - bytes: 32 random bytes, the same in every process; not a password.
    /// - Throws: ``SealingError`` with code `badKey`.
    public init(id: String, _ bytes: Data) throws(SealingError) {
        guard (1...255).contains(id.utf8.count) else {
            throw SealingError(.badKey, "the id of a key has \(id.utf8.count) bytes; it may have 1 to 255")
        }
        guard bytes.count == XChaCha20Poly1305.keyLength else {
            throw SealingError(.badKey, "the key '\(id)' has \(bytes.count) bytes; it needs 32 random ones")
        }
        self.id = id
        self.bytes = Array(bytes)
    }

    /// Creates a key from Base64 text, for example from settings.
    ///
    /// - Parameters:
    ///   - id: The key's id, 1 to 255 bytes of UTF-8.
    ///   - base64: 32 random bytes in Base64, such as the output of `openssl rand -base64 32`.
    /// - Throws: ``SealingError`` with code `badKey`.
    public init(id: String, base64: String) throws(SealingError) {
        guard let bytes = Data(base64Encoded: base64) else {
            throw SealingError(.badKey, "the key '\(id)' is not Base64")
        }
        try self.init(id: id, bytes)
    }

    /// Creates a random key, which no other process has.
    ///
    /// - Parameter id: The key's id, 1 to 255 bytes of UTF-8.
    /// - Returns: The key.
    /// - Throws: ``SealingError`` with code `badKey` for the id.
    public static func random(id: String) throws(SealingError) -> SealingKey {
        try SealingKey(id: id, Data(randomBytes(XChaCha20Poly1305.keyLength)))
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
    }

    /// The id; never the key.
    public var description: String { "SealingKey(id: \(id))" }

    /// The id; never the key.
    public var debugDescription: String { description }

    /// The id.
    public var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
}
