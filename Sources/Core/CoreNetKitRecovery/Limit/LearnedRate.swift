package import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

extension RateLimiter {
    /// Creates a limiter that learns the rate from the server's responses, and slows down before it is refused.
    ///
    /// It reads `RateLimit` and `RateLimit-Policy` in all forms of the draft, the fields `X-RateLimit-*` of many servers,
    /// and `Retry-After` of a refusal. Four fifths of a quota can be used at once, the rest is spread over the time until
    /// it is restored. A response without these fields, or with invalid ones, changes nothing. Each origin and each user
    /// (`Partition`) has quotas of its own.
    ///
    /// - Parameter route: Names the route of a request, on a server with a quota for each route; `nil` if all requests
    ///   to an origin share its quotas. Quotas that the server names are shared by all routes with that name.
    /// - Returns: A limiter that sends freely until the first response.
    public static func learning(by route: (@Sendable (TransportRequest) -> String)? = nil) -> RateLimiter {
        RateLimiter(source: LearnedRate(by: route))
    }
}

/// The callers of learned quotas, a queue for each origin, user and route; only the first of a queue waits for a time.
package final class LearnedRate: RateSource {
    /// Waits for a turn of processes that share a quota, until it is restored at most; throws like the node.
    package typealias Sharing = @Sendable (QuotaPace, RequestContext) async throws -> Void

    package let problem: String?
    private let route: (@Sendable (TransportRequest) -> String)?
    private let sharing: Sharing?
    private let state = Locked(LearnedQuotas())

    package init(
        by route: (@Sendable (TransportRequest) -> String)?,
        problem: String? = nil,
        sharing: Sharing? = nil
    ) { (self.route, self.problem, self.sharing) = (route, problem, sharing) }

    package func node(before next: Exchange, with parts: ChainParts) -> Exchange {
        LearnedRateNode(next: next, rate: self, date: parts.date)
    }

    /// Waits for the turn of a request; throws `rateLimited` if it comes after the deadline.
    func enter(_ request: TransportRequest, _ context: RequestContext) async throws -> LearnedQuotas.Ticket {
        let (name, origin) = (route?(request) ?? "", Origin(request.url))
        let route = LearnedQuotas.Route(origin: origin, partition: context.partition, name: name)
        if let sharing {
            let paces = state.withLock { $0.paces(of: route, at: context.clock.now) }
            for pace in paces { try await sharing(pace, context) }
        }
        let caller = Waiter<Void>()
        var (ticket, wait) = try step(route, caller, context)
        if let ticket { return ticket }
        return try await context.waiting(for: .init(.rate, planned: wait.turn - context.clock.now)) {
            do {
                while true {
                    try await wait.waiter.value(until: wait.end, on: context.clock) { .success(()) }
                    try Task.checkCancellation()
                    (ticket, wait) = try step(route, caller, context)
                    if let ticket { return ticket }
                }
            } catch {
                state.withLock { $0.leave(route, caller) }?.resume(.success(()))
                throw error
            }
        }
    }

    private func step(_ route: LearnedQuotas.Route, _ caller: Waiter<Void>, _ context: RequestContext) throws
        -> (LearnedQuotas.Ticket?, LearnedQuotas.Wait)
    {
        let (now, end) = (context.clock.now, context.deadline)
        let (ticket, wait, next) = try state.withLock { try $0.step(route, caller, at: now, before: end) }
        next?.resume(.success(()))
        return (ticket, wait)
    }

    func learn(_ reports: [QuotaReport], pause: Duration?, _ ticket: LearnedQuotas.Ticket, at now: Duration) {
        state.withLock { $0.learn(reports, pause: pause, ticket, at: now) }?.resume(.success(()))
    }
}

/// Sends requests no faster than the server's responses allow; inside retry and hedging, as ``RateNode``.
struct LearnedRateNode: PolicyNode {
    static let position = ChainPosition.rate

    let next: Exchange
    let rate: LearnedRate
    let date: @Sendable () -> Date

    /// Waits for the request's turn, passes it on and learns from the response; throws `rateLimited` at once if the turn
    /// comes after the deadline.
    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let ticket = try await rate.enter(input, context)
        do {
            let response = try await next.process(input, context: context)
            learn(response.status, response.headers, response.url, ticket, context.clock.now)
            return response
        } catch {
            let refused = (error as? NetworkError)?.response
            learn(refused?.status ?? 0, refused?.headers ?? [:], refused?.url ?? input.url, ticket, context.clock.now)
            throw error
        }
    }

    private func learn(_ status: Int, _ headers: Headers, _ url: URL, _ ticket: LearnedQuotas.Ticket, _ now: Duration) {
        // After a redirect the fields are those of another server.
        let isOwn = Origin(url) == ticket.route.origin
        let reports = isOwn ? QuotaReader(headers: headers, date: date).reports : []
        let pause = isOwn && 400...499 ~= status ? RetryAfter.wait(of: headers, now: date) : nil
        rate.learn(reports, pause: pause, ticket, at: now)
    }
}
