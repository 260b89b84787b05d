extension Attributes {
    private enum SecretsKey: Key { typealias Value = SecretRules }

    /// What is secret in the response that the values belong to, according to the client of its call.
    package var secrets: SecretRules {
        get { self[SecretsKey.self] ?? .standard }
        set { self[SecretsKey.self] = newValue.isStandard ? nil : newValue }
    }
}

extension TransportResponse {
    /// What is secret in it, according to the client of its call.
    package var secrets: SecretRules { attributes.secrets }

    /// The same response under the rules of a call.
    package func following(_ secrets: SecretRules) -> TransportResponse {
        if secrets.isStandard { return self }
        var response = self
        response.attributes.secrets = secrets
        return response
    }
}
