public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Two nodes that use one cache: one looks up before all other work, one stores responses from the network.
///
/// If a policy with an unknown scope is in between, nothing is looked up or stored.
public struct CachePolicy: BuiltInPolicy {
    /// The cache.
    public let cache: ResponseCache
    /// How they are used.
    public let mode: CacheMode

    /// Creates the policy.
    public init(cache: ResponseCache, mode: CacheMode = .standard) { (self.cache, self.mode) = (cache, mode) }

    /// Outside everything that costs a call something, and inside redirects.
    package var nodePositions: [ChainPosition] { [CacheNode.position, StoreNode.position] }

    /// Calls with different modes do not share exchanges.
    package var callScope: PolicyScope { .object(ObjectIdentifier(cache.identity(of: mode))) }

    /// Removes the stored responses at sign-out.
    public var keeper: (any SessionDataOwner)? { cache }

    /// Sends one request to the network if a stored body can no longer be decoded.
    public var layer: (any Layer)? { mode.kind == .off ? nil : UndecodableLayer(cache: cache) }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        position == StoreNode.position
            ? StoreNode(next: next, cache: cache) : CacheNode(next: next, cache: cache, mode: mode, parts: parts)
    }
}

extension PolicyHolder {
    /// Uses stored responses while they are fresh, and stores new ones; clients with the same cache share it.
    public func cache(_ cache: ResponseCache, _ mode: CacheMode = .standard) -> Self {
        with(CachePolicy(cache: cache, mode: mode))
    }

    /// Changes the mode of the cache that was set before; has no effect without one.
    ///
    /// The partition is the user of the responses; `nil` leaves it to the policies. The text must mean the same user in
    /// another run of the program, and must not be secret.
    public func cache(_ mode: CacheMode, partition: String? = nil) -> Self {
        let known = configuration.policies.lazy.compactMap { $0 as? CachePolicy }.last
        let changed = known.map { with(CachePolicy(cache: $0.cache, mode: mode)) } ?? self
        return partition.map { changed.set(partition: Partition($0)) } ?? changed
    }
}

/// Sends one request to the network if a stored body cannot be decoded, as after an update of the program's models.
struct UndecodableLayer: Layer {
    let cache: ResponseCache

    func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output> {
        UndecodableNode(next: next, cache: cache)
    }
}

struct UndecodableNode<Input: Sendable, Output: Sendable>: ChainStep {
    let next: any Node<Input, Output>
    let cache: ResponseCache

    func process(_ input: Input, context: RequestContext) async throws -> Output {
        do {
            return try await next.process(input, context: context)
        } catch let failure as NetworkError where failure.code == .decodingFailed || failure.code == .emptyBody {
            guard let response = failure.response, response.attributes[OutcomeKey.self]?.isFromCache == true,
                CacheCall.current?.value.mode?.kind != .only
            else { throw failure }
            context.record(.warning, id, "\(CacheReason(.undecodable)): \(failure.message)")
            await cache.invalidate(response.url)
            let anew = Locked(CacheCall(mode: .reload))
            return try await CacheCall.$current.withValue(anew) { try await next.process(input, context: context) }
        }
    }
}
