package import CoreNetKitChain
package import CoreNetKitHTTP

/// Refuses calls at once while their server is known to fail.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It stands outside of retry and counts calls, not
/// attempts. Calls of a token refresh pass and are not counted: the call that waits for them is.
package struct BreakerNode: PolicyNode {
    package static let position = ChainPosition.breaker

    package let next: Exchange
    let breaker: CircuitBreaker

    package init(next: Exchange, breaker: CircuitBreaker) {
        self.next = next
        self.breaker = breaker
    }

    /// Passes the request on where the circuit is closed, or the call is its probe.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `circuitOpen`, or what next throws.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard RefreshScope.current.isEmpty else { return try await next.process(input, context: context) }
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
            if breaker.end(number, .success, on: context.clock) { context.record(.warning, id, "opens") }
            return response
        } catch {
            if breaker.end(number, breaker.report(of: error), on: context.clock) {
                context.record(.warning, id, "opens")
            }
            throw error
        }
    }
}
