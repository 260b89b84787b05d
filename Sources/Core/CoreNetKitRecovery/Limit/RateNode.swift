public import CoreNetKitChain
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

    /// Waits for the request's turn and passes it on; throws `rateLimited` at once if it comes after the deadline.
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
    /// Inside retry and hedging: the server counts every attempt.
    package var nodePositions: [ChainPosition] { [RateNode.position] }
    /// Responses do not depend on it.
    package var callScope: PolicyScope { .none }

    /// Makes the node.
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
    /// The problem of the settings, on one line.
    var problem: String? { get }

    /// Makes the node that waits for the turn of a request.
    func node(before next: Exchange, with parts: ChainParts) -> Exchange
}
