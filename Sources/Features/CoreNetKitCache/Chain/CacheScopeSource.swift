import CoreNetKitChain
import CoreNetKitHTTP

/// Determines for each call whose responses it may use, from its identity: see ``CallIdentitySource``.
struct CacheScopeSource: Sendable {
    private let callers: CallIdentitySource
    private let mode: CacheMode

    init(_ parts: ChainParts, cache: ResponseCache, mode: CacheMode) {
        callers = CallIdentitySource(parts, inside: .cache, except: { $0 is CachePolicy }, naming: cache.name)
        self.mode = mode
    }

    /// The scope of a call's look-ups; nothing is stored for an unknown caller.
    func scope(for request: TransportRequest, of partition: Partition, by secrets: SecretRules) -> CacheScope {
        let caller = callers.identity(of: request, in: partition, by: secrets)
        let isOn = caller.isShareable && RefreshScope.current.isEmpty
        var scope = CacheScope(
            partition: caller.partition,
            isPersistent: caller.isStable,
            mode: isOn ? mode : .off
        )
        (scope.caller, scope.secrets) = (caller.caller, secrets)
        return scope
    }
}
