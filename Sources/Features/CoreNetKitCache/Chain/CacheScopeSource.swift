import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Finds out for each call whose responses it may see.
///
/// A partition that the policies know; else the objects whose tokens the call carries, or the credentials that it has
/// itself: those are kept in memory only.
struct CacheScopeSource: Sendable {
    /// Whether all that happens to a request inside the cache is known.
    private let isKnown: Bool
    /// Where nobody names a user and the request has no credentials; named by the objects that make responses different.
    private let common: CacheScope
    /// Keeps the objects, so that their identities stay theirs.
    private let policies: [any ChainPolicy]
    private let mode: CacheMode

    init(_ parts: ChainParts, cache: ResponseCache, mode: CacheMode) {
        policies = parts.policies
        self.mode = mode
        var names = ""
        for policy in parts.policies where policy.positions.contains(where: { $0 > .cache }) && !(policy is CachePolicy)
        {
            if case .object(let identity) = policy.scope { names += " \(cache.name(of: identity, of: policy))" }
        }
        isKnown = parts.scopes(inside: .cache) != nil
        common =
            names.isEmpty
            ? CacheScope(mode: mode) : CacheScope(partition: "objects\(names)", isPersistent: false, mode: mode)
    }

    /// Under what a call's request is looked up; a field that may tell who the user is counts as one that does.
    func scope(for request: TransportRequest, of partition: Partition, by secrets: SecretRules) -> CacheScope {
        var scope = scope(for: request, partition, secrets)
        scope.secrets = secrets
        return scope
    }

    private func scope(
        for request: TransportRequest,
        _ partition: Partition,
        _ secrets: SecretRules
    ) -> CacheScope {
        guard isKnown, RefreshScope.current.isEmpty else {
            return CacheScope(partition: partition.name, isPersistent: partition.isStable, mode: .off)
        }
        guard partition.isAnonymous else {
            return CacheScope(partition: partition.name, isPersistent: partition.isStable, mode: mode)
        }
        let credentials = request.headers.fields.filter { !secrets.isHarmless(field: $0.name) }
        if credentials.isEmpty { return common }
        var scope = common
        let text = credentials.map { "\($0.name.lowercased()): \($0.value)" }.joined(separator: "\n")
        scope.partition += " credentials \(Hash128(of: text))"
        scope.isPersistent = false
        return scope
    }
}
