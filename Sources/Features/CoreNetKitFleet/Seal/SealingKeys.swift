public import CoreNetKitEssentials

/// Seals with XChaCha20-Poly1305: one key for new values, more keys for stored ones.
///
/// To rotate the key: first give every process the new key among `older`, then make it the current key everywhere, and
/// remove the old key when its values have expired.
///
/// ```swift
/// let sealing = SealingKeys(try SealingKey(id: "2026-11", base64: settings.newKey), older: [oldKey])
/// ```
/// - SeeAlso: [draft-irtf-cfrg-xchacha](https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha)
public struct SealingKeys: Sealing, CustomStringConvertible, CustomReflectable {
    private let current: SealingKey
    private let older: [SealingKey]

    /// Creates a sealing from the key for new values, and more that stored ones may have been sealed with.
    ///
    /// If two keys have the same id, the first is used.
    public init(_ current: SealingKey, older: [SealingKey] = []) { (self.current, self.older) = (current, older) }

    /// The id of the key for new values.
    public var keyID: String { current.id }

    /// Encrypts and authenticates a value: the result is 40 bytes longer.
    public func seal(_ value: Data, at place: Data) throws(SealingError) -> Data {
        try current.seal(value, with: place, nonce: SealingKey.randomBytes(SealingKey.nonceLength))
    }

    /// Decrypts a value after checking that it is unchanged.
    public func open(_ sealed: Data, keyID: String, at place: Data) throws(SealingError) -> Data {
        guard let key = ([current] + older).first(where: { $0.id == keyID }) else {
            throw SealingError(
                .unknownKey,
                "the value is sealed with the key '\(keyID)', which this process does not have: add it to the older ones"
            )
        }
        guard let value = try key.open(sealed, with: place) else {
            let message = "the value was changed, moved, or sealed with another key of the id '\(keyID)'"
            throw SealingError(.notAuthentic, message)
        }
        return value
    }

    /// The ids of the keys.
    public var description: String {
        "SealingKeys(\(current.id)\(older.isEmpty ? "" : ", older: " + older.map(\.id).joined(separator: ", ")))"
    }

    /// The ids of the keys.
    public var customMirror: Mirror {
        Mirror(self, children: ["current": current.id, "older": older.map(\.id)], displayStyle: .struct)
    }
}
