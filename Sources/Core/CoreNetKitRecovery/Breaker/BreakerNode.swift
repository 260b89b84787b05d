public import CoreNetKitChain
package import CoreNetKitHTTP

/// Rejects calls at once while their server is failing.
///
/// It is outside retry and counts calls, not attempts; those of a token refresh pass, because the call that waits is counted.
package struct BreakerNode: PolicyNode {
    package static let position = ChainPosition.breaker

    package let next: Exchange
    let breaker: @Sendable (TransportRequest) -> CircuitBreaker

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard CallUser.refreshers.isEmpty else { return try await next.process(input, context: context) }
        let breaker = breaker(input)
        let number: Int
        switch breaker.admit(at: context.clock.now) {
        case .passes(let admitted): number = admitted
        case .refused(let wait):
            let again = wait.map { "it is tried again in \($0.milliseconds)" } ?? "one call tries it right now"
            var failure = NetworkError(.circuitOpen, "the server has failed too often; \(again)", node: id)
            failure.retryAfter = wait
            throw failure
        }
        do {
            let response = try await next.process(input, context: context)
            _ = breaker.end(number, .success, on: context.clock)
            return response
        } catch {
            if breaker.end(number, breaker.report(of: error), on: context.clock) {
                context.record(.warning, id, "opens")
            }
            throw error
        }
    }
}

extension CircuitBreaker: BuiltInPolicy {
    package var nodePositions: [ChainPosition] { [BreakerNode.position] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        BreakerNode(next: next) { _ in self }
    }
}

extension PolicyHolder {
    /// Rejects calls while their server is failing.
    public func breaker(_ breaker: CircuitBreaker) -> Self { with(breaker) }
}
