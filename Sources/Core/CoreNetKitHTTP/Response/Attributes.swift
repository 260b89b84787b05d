/// Values that nodes pass to later nodes of the same call, found by the type of their key.
public struct Attributes: Sendable {
    /// Identifies a value and its type.
    public protocol Key: SendableMetatype {
        /// The type of the value.
        associatedtype Value: Sendable
    }

    /// There are few values, so a linear search is faster than hashing.
    private var values: [(key: ObjectIdentifier, value: any Sendable)] = []

    /// Creates an empty store.
    public init() {}

    /// The value of a key; `nil` if no node has set it.
    public subscript<K: Key>(_ key: K.Type) -> K.Value? {
        get { values.first { $0.key == ObjectIdentifier(key) }?.value as? K.Value }
        set {
            let index = values.firstIndex { $0.key == ObjectIdentifier(key) }
            guard let newValue else {
                if let index { values.remove(at: index) }
                return
            }
            if let index { values[index].value = newValue } else { values.append((ObjectIdentifier(key), newValue)) }
        }
    }

    private enum SecretsKey: Key { typealias Value = SecretRules }

    package var secrets: SecretRules {
        get { self[SecretsKey.self] ?? .standard }
        set { self[SecretsKey.self] = newValue.isStandard ? nil : newValue }
    }
}

extension TransportResponse {
    package var secrets: SecretRules { attributes.secrets }

    package func following(_ secrets: SecretRules) -> TransportResponse {
        if secrets.isStandard { return self }
        var response = self
        response.attributes.secrets = secrets
        return response
    }
}
