public import CoreNetKitHTTP

/// Sends a second request when the first one is slow; the first answer wins, the other request is cancelled.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. Only for GET, HEAD, OPTIONS and TRACE, and not for
/// downloads to a file. A failure counts as the answer only when no other request is under way. The second request
/// counts against the retry budget.
public struct HedgeNode<Next: Node>: Node where Next.Input == TransportRequest, Next.Output == TransportResponse {
    private typealias Exchange = Task<Result<TransportResponse, any Error>, Never>

    private let next: Next
    private let hedger: Hedger
    private let client: Client
    /// Whether the budget learns of calls here, because no retry tells it.
    private let countsCalls: Bool

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes both requests.
    ///   - hedger: When the second is sent.
    ///   - client: Whose clock and budget count.
    public init(next: Next, hedger: Hedger, client: Client = .shared) {
        self.init(next: next, hedger: hedger, client: client, countsCalls: true)
    }

    init(next: Next, hedger: Hedger, client: Client, countsCalls: Bool) {
        self.next = next
        self.hedger = hedger
        self.client = client
        self.countsCalls = countsCalls
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Passes the request on, a second time when the answer is slow.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: The first answer.
    /// - Throws: What next throws: the first failure when both fail.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        if let problem = hedger.problem ?? client.retryBudget.problem {
            throw NetworkError(.invalidChain, problem, stage: id)
        }
        guard input.method.isSafe, input.body.isReplayable, !input.delivery.isFile else {
            return try await next.process(input, context: context)
        }
        let start = client.clock.now
        if countsCalls { client.retryBudget.deposit(at: start) }
        guard let delay = hedger.delay, context.deadline.map({ start + delay < $0 }) ?? true else {
            let response = try await next.process(input, context: context)
            learn(since: start)
            return response
        }
        let events = HedgeEvents()
        let first = send(input, context, events, isFirst: true)
        guard events.isEmpty else {
            // It never suspended: there was nothing to wait for.
            let response = try await first.value.get()
            learn(since: start)
            return response
        }
        defer { first.cancel() }
        return try await race(first, events, input, context, start, delay)
    }

    private func race(
        _ first: Exchange,
        _ events: HedgeEvents,
        _ input: TransportRequest,
        _ context: RequestContext,
        _ start: Duration,
        _ delay: Duration
    ) async throws -> TransportResponse {
        let ticket = client.alarm.set(at: start + delay) { events.post(.due) }
        defer { client.alarm.cancel(ticket) }
        var second: Exchange?
        defer { second?.cancel() }
        var failure: (any Error)?
        while true {
            switch try await events.next() {
            case .due:
                let now = client.clock.now
                guard client.retryBudget.withdraw(at: now, for: now) else { continue }
                context.record(.warning, id, "no answer after \(delay.milliseconds): sends a second request")
                second = send(input, context.nested, events, isFirst: false)
            case .ended(let isFirst):
                let ended = isFirst ? first : second ?? first
                switch await ended.value {
                case .success(let response):
                    learn(since: start)
                    if !isFirst { context.record(.info, id, "the second request answered first") }
                    return response
                case .failure(let error):
                    // The other one may still answer.
                    guard failure == nil, second != nil else { throw failure ?? error }
                    failure = error
                }
            }
        }
    }

    private func send(
        _ input: TransportRequest,
        _ context: RequestContext,
        _ events: HedgeEvents,
        isFirst: Bool
    ) -> Exchange {
        Task.here { [next] in
            defer { events.post(.ended(isFirst: isFirst)) }
            do {
                return .success(try await next.process(input, context: context))
            } catch {
                return .failure(error)
            }
        }
    }

    private func learn(since start: Duration) {
        if hedger.learns { hedger.learn(client.clock.now - start) }
    }
}

extension ResponseDelivery {
    /// Whether the content goes to a file, which two requests must not write.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
