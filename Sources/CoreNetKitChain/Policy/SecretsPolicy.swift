public import CoreNetKitHTTP

/// Says what is secret beside, or in spite of, the standard's names.
struct SecretsPolicy: ChainPolicy {
    let rules: SecretRules

    var positions: [ChainPosition] { [] }
    var scope: PolicyScope { .none }
    var problem: String? { rules.problem }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
}

extension PolicyHolder {
    /// Sets what is secret: what does not cross origins, makes responses a user's own, is kept in memory only, and is left
    /// out of logs and records.
    ///
    /// ```swift
    /// let client = Client().secrets(
    ///     .standard.adding(fields: ["X-Corp-Id"], members: ["ssn"]).exempting(fields: ["X-Session-Color"])
    /// )
    /// ```
    /// - Parameter rules: The rules, in place of those set before.
    /// - Returns: A changed copy. Its calls fail with `invalidChain` where the rules exempt `Authorization`,
    ///   `Proxy-Authorization`, `Cookie` or `Set-Cookie`.
    public func secrets(_ rules: SecretRules) -> Self {
        changed {
            $0.set(SecretsPolicy(rules: rules))
            $0.options.secrets = rules
        }
    }
}
