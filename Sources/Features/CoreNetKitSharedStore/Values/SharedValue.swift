public import CoreNetKitEssentials

/// A value of the store.
public struct SharedValue: Sendable, Hashable {
    /// The maximum number of bytes of a value: 16 MiB.
    public static let limit = 16 << 20

    /// The value.
    public let bytes: Data
    /// Its number, above 0; values written later have larger ones.
    public let version: UInt64

    /// Creates a value, for stores.
    public init(bytes: Data, version: UInt64) { (self.bytes, self.version) = (bytes, version) }
}
