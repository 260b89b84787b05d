public import CoreNetKitEssentials

/// How secrets are sealed before they go into a store that several processes share.
///
/// ### Choose a sealing
/// ``SealingKeys`` encrypts with a key of yours. ``PlainSealing``, written `.plain`, leaves everything readable to
/// anyone who can read the store, its snapshots and its replicas.
///
/// ### Implement a sealing
/// The key's id is stored in plain text beside each value, so that keys can be rotated while values of the old one are
/// still stored: first every process learns to open with the new key, then each starts to seal with it. A key service
/// provides a key for some time; it is not called for each value.
public protocol Sealing: Sendable {
    /// The id of the key that values are sealed with from now on, 1 to 255 bytes of UTF-8; not secret.
    var keyID: String { get }

    /// Seals a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - place: Where it will be stored, and the plain data beside it: opening it needs the same place.
    /// - Returns: The sealed value.
    /// - Throws: ``SealingError``.
    func seal(_ value: Data, at place: Data) throws(SealingError) -> Data

    /// Opens a value.
    ///
    /// - Parameters:
    ///   - sealed: The output of ``seal(_:at:)``, perhaps of another process.
    ///   - keyID: The key that it was sealed with.
    ///   - place: Where it was stored.
    /// - Returns: The value.
    /// - Throws: ``SealingError`` with code `unknownKey` or `notAuthentic`.
    func open(_ sealed: Data, keyID: String, at place: Data) throws(SealingError) -> Data
}

/// No sealing: anyone who can read the store can read the secrets.
public struct PlainSealing: Sealing {
    /// `plain`.
    public let keyID = "plain"

    init() {}

    /// The value itself.
    public func seal(_ value: Data, at place: Data) throws(SealingError) -> Data { value }

    /// The value itself.
    public func open(_ sealed: Data, keyID: String, at place: Data) throws(SealingError) -> Data {
        guard keyID == self.keyID else {
            throw SealingError(
                .unknownKey,
                "the value is sealed with the key '\(keyID)', and this process has no sealing keys"
            )
        }
        return sealed
    }
}

extension Sealing where Self == PlainSealing {
    /// No sealing: anyone who can read the store, a snapshot or a replica of it can read the secrets.
    public static var plain: PlainSealing { PlainSealing() }
}
