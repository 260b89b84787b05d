public import CoreNetKitHTTP

/// Sends requests no faster than a rate.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It stands inside of retry and hedging, since the
/// server counts every attempt.
public struct RateNode<Next: Node>: Node where Next.Input == TransportRequest, Next.Output == TransportResponse {
    private let next: Next
    private let limiter: RateLimiter
    private let client: Client

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the requests.
    ///   - limiter: Who counts them.
    ///   - client: Whose clock counts.
    public init(next: Next, limiter: RateLimiter, client: Client = .shared) {
        self.next = next
        self.limiter = limiter
        self.client = client
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Waits for the request's turn and passes it on.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `rateLimited` at once when the turn comes behind the deadline, or what next
    ///   throws.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        if let problem = limiter.problem { throw NetworkError(.invalidChain, problem, stage: id) }
        switch limiter.reserve(at: client.clock.now, before: context.deadline) {
        case .now: break
        case .at(let turn):
            do {
                try await client.clock.sleep(until: turn)
            } catch {
                limiter.giveBack(turn)
                throw error
            }
        case .never(let wait):
            var failure = NetworkError(
                .rateLimited,
                "the rate allows the next request in \(wait.milliseconds), behind the deadline",
                stage: id
            )
            failure.phase = .queue
            failure.attempt = context.attempt
            failure.retryAfter = wait
            throw failure
        }
        return try await next.process(input, context: context)
    }
}
