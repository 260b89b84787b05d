import CoreNetKit
import CoreNetKitChain
import Foundation
import Synchronization

/// How many requests are left, as GitHub says with each response.
struct RateLimit: Sendable {
    var limit: Int
    var remaining: Int
    var reset: Date

    init?(_ headers: Headers) {
        func number(_ name: String) -> Int? { headers["X-RateLimit-" + name].flatMap { Int($0) } }
        guard let limit = number("Limit"), let remaining = number("Remaining"), let reset = number("Reset") else {
            return nil
        }
        (self.limit, self.remaining) = (limit, remaining)
        self.reset = Date(timeIntervalSince1970: Double(reset))
    }
}

/// Remembers the limit of the last response on the wire, also where the cache has the content.
final class RateLimitReader: ChainPolicy {
    private let limit = Mutex<RateLimit?>(nil)

    var last: RateLimit? { limit.withLock { $0 } }

    var positions: [ChainPosition] { [.exchange] }
    /// The responses are the same with and without it; otherwise nothing would be cached.
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("RateLimit", successors: [next]) { [self] request, context in
            let response = try await next.process(request, context: context)
            if let read = RateLimit(response.headers) { limit.withLock { $0 = read } }
            return response
        }
    }
}

extension RetryPolicy {
    /// A secondary limit is a 403 that says in `Retry-After` how long to wait.
    static let secondaryLimit = RetryPolicy { failure, planned in
        guard failure.code == .forbidden, let wait = failure.response?.headers["Retry-After"].flatMap({ Int($0) })
        else {
            return planned
        }
        return .seconds(wait)
    }
}
