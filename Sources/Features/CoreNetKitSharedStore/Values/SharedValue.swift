public import CoreNetKitEssentials

/// A value in the store, with its version.
public struct SharedValue: Sendable, Hashable {
    /// The maximum number of bytes of a value: 16 MiB.
    public static let limit = 16 << 20

    /// The value.
    public let bytes: Data
    /// The version, above 0; it grows with each write.
    public let version: UInt64

    /// Creates a value, for stores.
    public init(bytes: Data, version: UInt64) { (self.bytes, self.version) = (bytes, version) }
}
