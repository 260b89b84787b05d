public import CoreNetKitChain
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Sends a second request when the first one is slow; the first response wins, the other request is cancelled.
///
/// Only for GET, HEAD, OPTIONS and TRACE, and not for downloads to a file or connections. A failure is the result only if no
/// other request is running. The second request counts against the retry budget.
package struct HedgeNode: PolicyNode {
    package static let position = ChainPosition.hedge

    private typealias Attempt = Task<TransportResponse, any Error>

    private enum Event: Sendable {
        case ended(isFirst: Bool)
        case due
    }

    package let next: Exchange
    private let hedger: Hedger
    private let budget: RetryBudget
    private let timers: TimerQueue

    package init(next: Exchange, hedger: Hedger, parts: ChainParts) {
        (self.next, self.hedger) = (next, hedger)
        budget = parts.retryBudget
        timers = parts.timers
    }

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard input.method.isSafe, input.body.isReplayable, !input.delivery.isFile, input.delivery != .duplex else {
            return try await next.process(input, context: context)
        }
        let start = context.clock.now
        if !context.isCounted { budget.deposit(at: start) }
        guard let delay = hedger.delay, context.deadline.map({ start + delay.bounded < $0 }) ?? true else {
            let response = try await next.process(input, context: context)
            learn(since: start, context.clock)
            return response
        }
        let events = ReaderQueue<Event>()
        let first = send(input, context, events, isFirst: true)
        guard events.isEmpty else {
            // It ended without suspending, so there is nothing to wait for.
            let response = try await first.value
            learn(since: start, context.clock)
            return response
        }
        defer { first.cancel() }
        return try await race(first, events, input, context, start, delay)
    }

    private func race(
        _ first: Attempt,
        _ events: ReaderQueue<Event>,
        _ input: TransportRequest,
        _ context: RequestContext,
        _ start: Duration,
        _ delay: Duration
    ) async throws -> TransportResponse {
        let timerID = timers.set(at: start + delay.bounded) { events.add(.due) }
        defer { timers.cancel(timerID) }
        var second: Attempt?
        defer { second?.cancel() }
        var failure: (any Error)?
        while let event = try await events.next() {
            switch event {
            case .due:
                let now = context.clock.now
                guard budget.withdraw(at: now, for: now) else { continue }
                context.note(.hedgeStarted(after: delay))
                var nestedContext = context.nested
                nestedContext.branch = 1
                second = send(input, nestedContext, events, isFirst: false)
            case .ended(let isFirst):
                let ended = isFirst ? first : second ?? first
                switch await ended.result {
                case .success(let response):
                    learn(since: start, context.clock)
                    if !isFirst { context.record(.info, id, "the second response arrived first") }
                    return response
                case .failure(let error):
                    // The other request may still succeed.
                    guard failure == nil, second != nil else { throw failure ?? error }
                    failure = error
                }
            }
        }
        throw CancellationError()
    }

    private func send(
        _ input: TransportRequest,
        _ context: RequestContext,
        _ events: ReaderQueue<Event>,
        isFirst: Bool
    ) -> Attempt {
        Task.inside { [next] in
            defer { events.add(.ended(isFirst: isFirst)) }
            return try await next.process(input, context: context)
        }
    }

    private func learn(since start: Duration, _ clock: CallClock) {
        if hedger.learns { hedger.learn(clock.now - start) }
    }
}

extension Hedger: BuiltInPolicy {
    package var nodePositions: [ChainPosition] { [HedgeNode.position] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        HedgeNode(next: next, hedger: self, parts: parts)
    }
}

extension PolicyHolder {
    /// Sends a second request if there is no response after a delay; the first response wins.
    public func hedge(after delay: Duration) -> Self { hedge(Hedger(after: .fixed(delay))) }

    /// Sends a second request when the response is slow.
    public func hedge(_ hedger: Hedger) -> Self { with(hedger) }
}
