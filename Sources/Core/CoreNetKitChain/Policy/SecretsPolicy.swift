public import CoreNetKitHTTP

/// Changes the secrecy rules, in addition to or instead of the standard names.
struct SecretsPolicy: ChainPolicy {
    let rules: SecretRules

    var positions: [ChainPosition] { [] }
    var scope: PolicyScope { .none }
    var problem: String? { rules.problem }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
}

extension PolicyHolder {
    /// Sets what is secret: secret values never cross origins, make responses specific to a user, are kept only in
    /// memory, and are removed from logs and records.
    ///
    /// ```swift
    /// let client = Client().secrets(
    ///     .standard.adding(fields: ["X-Corp-Id"], members: ["ssn"]).exempting(fields: ["X-Session-Color"])
    /// )
    /// ```
    /// - Parameter rules: The rules; they replace those set before.
    /// - Returns: A changed copy. Its calls fail with `invalidChain` if the rules exempt `Authorization`,
    ///   `Proxy-Authorization`, `Cookie` or `Set-Cookie`.
    public func secrets(_ rules: SecretRules) -> Self {
        changed {
            $0.set(SecretsPolicy(rules: rules))
            $0.options.secrets = rules
        }
    }
}
