package import CoreNetKitChain
package import CoreNetKitHTTP

/// Limits the rate of requests.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It is inside retry and hedging, because the server
/// counts every attempt.
package struct RateNode: PolicyNode {
    package static let position = ChainPosition.rate

    package let next: Exchange
    let limiter: RateLimiter

    package init(next: Exchange, limiter: RateLimiter) {
        self.next = next
        self.limiter = limiter
    }

    /// Waits for the request's turn and passes it on.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: ``NetworkError`` with code `rateLimited` at once if the turn comes after the deadline, or an error of
    ///   the next node.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let (turn, caller) = limiter.reserve(at: context.clock.now, before: context.deadline)
        switch turn {
        case .now: break
        case .at(let turn, let isFirst):
            guard let caller else { break }
            try await context.waiting(for: .init(.rate, planned: turn - context.clock.now)) {
                try await limiter.wait(caller, until: isFirst ? turn : nil, on: context.clock)
            }
        case .never(let wait):
            throw NetworkError.queued(
                .rateLimited,
                "the rate allows the next request in \(wait.milliseconds), after the deadline",
                node: id,
                retryAfter: wait
            )
        }
        return try await next.process(input, context: context)
    }
}
