import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Validates stored responses, stores new ones, and invalidates the resources that a request has changed, for each hop.
///
/// A 304 to a condition of the cache is never passed on.
struct StoreNode: PolicyNode {
    static let position = ChainPosition.store

    let next: Exchange
    let cache: ResponseCache

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard var scope = context.cacheScope else { return try await next.process(input, context: context) }
        scope.deadline = cache.engine.deadline(of: context)
        // Looked up before the user is checked: a sign-out first ends the session and then empties the cache.
        let finding = await cache.engine.find(input, scope, acceptsStale: false)
        // Responses after the end of a session are not stored for its user.
        guard !context.user.hasChanged else { return try await next.process(input, context: context) }
        do {
            try refuse(input, scope, finding)
            let exchange = CacheExchange(engine: cache.engine, request: input, scope: scope, finding: finding) {
                try await next.process($0, context: context)
            }
            let result = try await exchange.run(in: context)
            guard scope.mode.kind != .off else { return result.response }
            cache.engine.counts.withLock { $0.note(result.outcome) }
            context.note(.cacheOutcome(.init(result.outcome)))
            var response = result.response
            response.cache = result.outcome
            return response
        } catch {
            throw NetworkError.wrapping(error, node: id) ?? error
        }
    }

    /// Fails a call that must not be sent while the storage cannot be read.
    private func refuse(_ input: TransportRequest, _ scope: CacheScope, _ finding: CacheFinding) throws {
        guard finding.record == nil, cache.engine.vault.refuses(finding.key),
            cache.engine.lookup(input, scope, acceptsStale: false).facts.isLookedUp
        else { return }
        let message = "the store of the cache is unavailable, so what is not in memory is not requested"
        var failure = NetworkError.queued(.nodeFailed, message, node: id)
        (failure.isRetryable, failure.isSafeToResend) = (true, true)
        throw failure
    }
}
