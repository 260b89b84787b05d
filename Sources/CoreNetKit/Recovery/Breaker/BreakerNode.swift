public import CoreNetKitHTTP

/// Refuses calls at once while their server is known to fail.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It stands outside of retry and counts calls, not
/// attempts. Calls of a token refresh pass and are not counted: the call that waits for them is.
public struct BreakerNode<Next: Node>: Node where Next.Input == TransportRequest, Next.Output == TransportResponse {
    private let next: Next
    private let breaker: CircuitBreaker
    private let client: Client

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the calls.
    ///   - breaker: Who remembers how they ended.
    ///   - client: Whose clock counts.
    public init(next: Next, breaker: CircuitBreaker, client: Client = .shared) {
        self.next = next
        self.breaker = breaker
        self.client = client
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Passes the request on where the circuit is closed, or the call is its probe.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `circuitOpen`, or what next throws.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        if let problem = breaker.problem { throw NetworkError(.invalidChain, problem, stage: id) }
        guard RefreshScope.current.isEmpty else { return try await next.process(input, context: context) }
        let number: Int
        switch breaker.admit(at: client.clock.now) {
        case .passes(let admitted): number = admitted
        case .refused(let wait):
            let again = wait.map { "it is tried again in \($0.milliseconds)" } ?? "one call tries it right now"
            var failure = NetworkError(.circuitOpen, "the server has failed too often; \(again)", stage: id)
            failure.retryAfter = wait
            throw failure
        }
        do {
            let response = try await next.process(input, context: context)
            if breaker.end(number, .success, at: client.clock.now) { context.record(.warning, id, "opens") }
            return response
        } catch {
            if breaker.end(number, breaker.report(of: error), at: client.clock.now) {
                context.record(.warning, id, "opens")
            }
            throw error
        }
    }
}
