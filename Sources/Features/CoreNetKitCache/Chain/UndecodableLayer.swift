import CoreNetKitChain
import CoreNetKitHTTP

/// Sends one request to the network if a stored body cannot be decoded, as after an update of the program's models.
struct UndecodableLayer: Layer {
    let cache: ResponseCache

    func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output> {
        UndecodableNode(next: next, cache: cache)
    }
}

/// Calls next a second time, bypassing the cache, if a stored body could not be decoded.
struct UndecodableNode<Input: Sendable, Output: Sendable>: ChainStep {
    let next: any Node<Input, Output>
    let cache: ResponseCache

    func process(_ input: Input, context: RequestContext) async throws -> Output {
        do {
            return try await next.process(input, context: context)
        } catch let failure as NetworkError where failure.code == .decodingFailed || failure.code == .emptyBody {
            guard let response = failure.response, response.attributes[OutcomeKey.self]?.isFromCache == true,
                CacheCall.current?.mode?.kind != .only
            else { throw failure }
            context.record(.warning, id, "\(CacheReason.undecodable): \(failure.message)")
            await cache.invalidate(response.url)
            let anew = CacheCall(mode: .reload)
            return try await CacheCall.$current.withValue(anew) { try await next.process(input, context: context) }
        }
    }
}
