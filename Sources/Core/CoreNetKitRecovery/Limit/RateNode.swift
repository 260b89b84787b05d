public import CoreNetKitChain
package import CoreNetKitHTTP

/// Limits the rate of requests; inside retry and hedging, because the server counts every attempt.
package struct RateNode: PolicyNode {
    package static let position = ChainPosition.rate

    package let next: Exchange
    let limiter: RateLimiter

    /// Waits for the request's turn and passes it on; throws `rateLimited` at once if it comes after the deadline.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        switch limiter.reserve(at: context.clock.now, before: context.deadline) {
        case .now: break
        case .at(let turn, let caller, let isFirst):
            try await context.waiting(for: .init(.rate, planned: turn - context.clock.now)) {
                try await limiter.wait(caller, until: isFirst ? turn : nil, on: context.clock)
            }
        case .never(let wait):
            throw NetworkError.limited(by: "the rate", for: wait, node: id)
        }
        return try await next.process(input, context: context)
    }
}

extension NetworkError {
    /// The error of a request whose turn comes after its deadline.
    package static func limited(by limit: String, for wait: Duration, node: NodeID) -> NetworkError {
        let message = "\(limit) allows the next request in \(wait.milliseconds), after the deadline"
        return .queued(.rateLimited, message, node: node, retryAfter: wait)
    }
}

extension RateLimiter: BuiltInPolicy {
    package var nodePositions: [ChainPosition] { [RateNode.position] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        source?.node(before: next, with: parts) ?? RateNode(next: next, limiter: self)
    }
}

extension PolicyHolder {
    /// Limits the rate of requests.
    public func rate(_ limiter: RateLimiter) -> Self { with(limiter) }
}

/// Where turns come from that a limiter does not count itself: a counter that processes share, or what a server reports.
package protocol RateSource: Sendable {
    var problem: String? { get }

    func node(before next: Exchange, with parts: ChainParts) -> Exchange
}
