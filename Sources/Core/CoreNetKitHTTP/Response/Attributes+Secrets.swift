extension Attributes {
    private enum SecretsKey: Key { typealias Value = SecretRules }

    /// The rules for secrets of the call's client, for the response that has these values.
    package var secrets: SecretRules {
        get { self[SecretsKey.self] ?? .standard }
        set { self[SecretsKey.self] = newValue.isStandard ? nil : newValue }
    }
}

extension TransportResponse {
    /// The rules for secrets of the call's client.
    package var secrets: SecretRules { attributes.secrets }

    /// The same response under the rules of a call.
    package func following(_ secrets: SecretRules) -> TransportResponse {
        if secrets.isStandard { return self }
        var response = self
        response.attributes.secrets = secrets
        return response
    }
}
