public import CoreNetKitTransport

/// Sends a second request when the first one is slow; the first answer wins, the other request is cancelled.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. Only for GET, HEAD, OPTIONS and TRACE, and not for
/// downloads to a file. A failure counts as the answer only when no other request is under way. The second request
/// counts against the retry budget.
public struct HedgeNode<Next: Node>: Node where Next.Input == TransportRequest, Next.Output == TransportResponse {
    private enum Event: Sendable {
        case answered(TransportResponse, isFirst: Bool)
        case failed(any Error)
        case due
    }

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
            hedger.learn(client.clock.now - start)
            return response
        }
        return try await race(input, context, start, delay)
    }

    private func race(
        _ input: TransportRequest,
        _ context: RequestContext,
        _ start: Duration,
        _ delay: Duration
    ) async throws -> TransportResponse {
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask { await event(of: input, context, isFirst: true) }
            group.addTask {
                try await client.clock.sleep(until: start + delay)
                return .due
            }
            defer { group.cancelAll() }
            var underWay = 1
            var failure: (any Error)?
            while let event = try await group.next() {
                switch event {
                case .answered(let response, let isFirst):
                    hedger.learn(client.clock.now - start)
                    if !isFirst { context.record(.info, id, "the second request answered first") }
                    return response
                case .failed(let error):
                    underWay -= 1
                    failure = failure ?? error
                    if underWay == 0 { throw failure ?? error }
                case .due:
                    let now = client.clock.now
                    guard client.retryBudget.withdraw(at: now, for: now) else { continue }
                    underWay += 1
                    context.record(.warning, id, "no answer after \(delay.milliseconds): sends a second request")
                    group.addTask { await self.event(of: input, context.nested, isFirst: false) }
                }
            }
            throw CancellationError()
        }
    }

    private func event(of input: TransportRequest, _ context: RequestContext, isFirst: Bool) async -> Event {
        do {
            return .answered(try await next.process(input, context: context), isFirst: isFirst)
        } catch {
            return .failed(error)
        }
    }
}

extension ResponseDelivery {
    /// Whether the content goes to a file, which two requests must not write.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
