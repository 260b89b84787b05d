public import CoreNetKitEssentials

/// Seals secrets before they are written to a store that several processes share.
///
/// ### Choose a sealing
/// ``SealingKeys`` encrypts with your key. ``PlainSealing``, written `.plain`, leaves everything readable to
/// anyone who can read the store, its snapshots and its replicas.
///
/// ### Implement a sealing
/// The key's id is stored in plain text with each value, so that keys can be rotated while values of the old key are
/// still stored: first every process gets the new key for opening, then each process starts to seal with it. If a key
/// service provides the key, fetch the key from time to time, not for each value.
public protocol Sealing: Sendable {
    /// The id of the key that seals new values, 1 to 255 bytes of UTF-8; not secret.
    var keyID: String { get }

    /// Seals a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - place: The store key and the plain data stored with the value: opening needs the same place.
    /// - Returns: The sealed value.
    /// - Throws: ``SealingError``.
    func seal(_ value: Data, at place: Data) throws(SealingError) -> Data

    /// Opens a value.
    ///
    /// - Parameters:
    ///   - sealed: The output of ``seal(_:at:)``, possibly of another process.
    ///   - keyID: The id of the key that it was sealed with.
    ///   - place: The place that it was sealed for.
    /// - Returns: The value.
    /// - Throws: ``SealingError`` with code `unknownKey` or `notAuthentic`.
    func open(_ sealed: Data, keyID: String, at place: Data) throws(SealingError) -> Data
}

/// No sealing: anyone who can read the store can read the secrets.
public struct PlainSealing: Sealing {
    /// `plain`.
    public let keyID = "plain"

    init() {}

    /// Returns the value unchanged.
    public func seal(_ value: Data, at place: Data) throws(SealingError) -> Data { value }

    /// Returns the value unchanged.
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
