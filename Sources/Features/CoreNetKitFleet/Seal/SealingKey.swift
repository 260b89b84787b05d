public import CoreNetKitEssentials

/// A 32-byte key with an id; its bytes are never printed.
///
/// It encrypts with the system's cipher, and cannot be made without one: on Linux libcrypto's, which a libcurl with OpenSSL
/// brings along; on Apple's platforms CryptoKit's.
public struct SealingKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id, stored in plain text with each value that was sealed with the key.
    public let id: String
    private let bytes: KeyBytes
    private let cipher: SystemCipher

    /// Creates a key from bytes.
    ///
    /// - Parameters:
    ///   - id: The key's id, 1 to 255 bytes of UTF-8, different for each key: a date, for example.
    ///   - bytes: 32 random bytes, the same in every process; not a password.
    /// - Throws: ``SealingError`` with code `badKey`; `unsupported` if no library of the process has the cipher.
    public init(id: String, _ bytes: Data) throws(SealingError) { try self.init(id: id, bytes, cipher: .system) }

    package init(id: String, _ bytes: Data, cipher: SystemCipher?) throws(SealingError) {
        guard (1...255).contains(id.utf8.count) else {
            throw SealingError(.badKey, "the id of a key has \(id.utf8.count) bytes; it may have 1 to 255")
        }
        guard bytes.count == KeyBytes.count else {
            throw SealingError(.badKey, "the key '\(id)' has \(bytes.count) bytes; it needs 32 random ones")
        }
        guard let cipher else {
            throw SealingError(
                .unsupported,
                "the key '\(id)' cannot seal, because no library of this process has ChaCha20-Poly1305: install a libcurl "
                    + "that uses OpenSSL, outside of FIPS mode, or implement Sealing with a cipher that you have"
            )
        }
        self.id = id
        self.bytes = KeyBytes { $0.copyBytes(from: bytes) }
        self.cipher = cipher
    }

    /// Creates a key from 32 random bytes in Base64, such as the output of `openssl rand -base64 32`.
    ///
    /// - Throws: ``SealingError`` with code `badKey`, also for an id that is not 1 to 255 bytes of UTF-8;
    ///   `unsupported` if no library of the process has the cipher.
    public init(id: String, base64: String) throws(SealingError) {
        guard let bytes = Data(base64Encoded: base64) else {
            throw SealingError(.badKey, "the key '\(id)' is not Base64")
        }
        try self.init(id: id, bytes)
    }

    /// Creates a random key, which no other process has.
    ///
    /// - Throws: ``SealingError`` with code `badKey` for an id that is not 1 to 255 bytes of UTF-8;
    ///   `unsupported` if no library of the process has the cipher.
    public static func random(id: String) throws(SealingError) -> SealingKey {
        try SealingKey(id: id, randomBytes(KeyBytes.count))
    }

    static func randomBytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in .random(in: .min ... .max, using: &generator) })
    }

    /// The id; never the key.
    public var description: String { "SealingKey(id: \(id))" }

    /// The id; never the key.
    public var debugDescription: String { description }

    /// The id.
    public var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
}

/// XChaCha20-Poly1305, which no library has: the first 16 bytes of the nonce make a key, the last 8 are the cipher's nonce.
extension SealingKey {
    static let nonceLength = 24

    /// Encrypts a text of at most 256 GiB, and authenticates it with the data: the nonce, of 24 bytes and never used
    /// twice with this key, the encrypted text and the 16-byte tag.
    package func seal(_ text: Data, with data: Data, nonce: Data) throws(SealingError) -> Data {
        do {
            return nonce + (try cipher.seal(text, data, bytes.derived(for: nonce), shortened(nonce)))
        } catch {
            throw failed
        }
    }

    /// Decrypts the output of ``seal(_:with:nonce:)``; `nil` if any bit has changed.
    package func open(_ sealed: Data, with data: Data) throws(SealingError) -> Data? {
        guard sealed.count >= Self.nonceLength else { return nil }
        let (nonce, rest) = (sealed.prefix(Self.nonceLength), sealed.dropFirst(Self.nonceLength))
        do {
            return try cipher.open(rest, data, bytes.derived(for: nonce), shortened(nonce))
        } catch .notAuthentic {
            return nil
        } catch {
            throw failed
        }
    }

    private func shortened(_ nonce: Data) -> Data { Data(count: 4) + nonce.suffix(8) }

    private var failed: SealingError {
        SealingError(.unsupported, "the library that encrypts has failed with the key '\(id)': is there memory left?")
    }
}
