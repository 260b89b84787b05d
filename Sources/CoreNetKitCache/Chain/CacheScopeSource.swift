import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Finds out for each call whose responses it may see.
///
/// A partition that the policies know; else the objects whose tokens the call carries, or the credentials that it has
/// itself: those are kept in memory only.
struct CacheScopeSource: Sendable {
    /// A name for the objects that make responses different; `nil` where nobody knows what happens to the request.
    private let objects: String?
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
        objects = parts.scopes(inside: .cache) == nil ? nil : names
    }

    func scope(for request: TransportRequest, of partition: Partition) -> CacheScope {
        var scope = CacheScope(partition: partition.name, isPersistent: partition.isStable, mode: mode)
        guard let objects, RefreshScope.current.isEmpty else {
            scope.mode = .off
            return scope
        }
        guard partition.isAnonymous else { return scope }
        if !objects.isEmpty {
            scope.partition = "objects\(objects)"
            scope.isPersistent = false
        }
        let credentials = request.headers.filter { Headers.isSecret($0.name) }
        if !credentials.isEmpty {
            let text = credentials.map { "\($0.name.lowercased()): \($0.value)" }.joined(separator: "\n")
            scope.partition += " credentials \(Hash128(of: text))"
            scope.isPersistent = false
        }
        return scope
    }
}
