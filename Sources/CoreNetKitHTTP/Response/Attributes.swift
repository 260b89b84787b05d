/// Values that nodes pass to later nodes of the same call, found by the type of their key.
public struct Attributes: Sendable {
    /// Names a value and says its type.
    public protocol Key: SendableMetatype {
        /// The type of the value.
        associatedtype Value: Sendable
    }

    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Creates an empty store.
    public init() {}

    /// The value of a key, `nil` when no node has set it.
    public subscript<K: Key>(_ key: K.Type) -> K.Value? {
        get { values[ObjectIdentifier(key)] as? K.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
