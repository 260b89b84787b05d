import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

import CoreNetKitEssentials

/// Nothing usable is stored for a hop of a walk through stored responses: the network is asked.
struct LookupMiss: Error {}

/// The hops of such a walk: their URLs and statuses.
enum HopsKey: Attributes.Key {
    typealias Value = Locked<[(url: String, status: Int)]>
}

/// The end of a path that only reads stored responses; the nodes before it are the same as before the wire.
///
/// in: `TransportRequest`, out: `TransportResponse`, only from the cache.
struct LookupNode: Node {
    let engine: CacheEngine

    var successors: [any Node] { [] }

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard var scope = context.cacheScope else { throw LookupMiss() }
        scope.deadline = engine.deadline(of: context)
        let finding = await engine.find(input, scope, acceptsStale: true)
        if case .refuse = finding.decision.action {
            var response = engine.refusal(of: input)
            response.cache = CacheOutcome(.refused, finding.decision.reason)
            return response
        }
        let found =
            context.cachePurpose == .fallback && finding.used == nil
            ? try await engine.fallback(finding, for: input) : try await engine.respond(finding, to: input)
        guard let found else { throw LookupMiss() }
        context.attributes[HopsKey.self]?.withLock { $0.append((input.url.absoluteString, found.response.status)) }
        return found.response
    }
}
