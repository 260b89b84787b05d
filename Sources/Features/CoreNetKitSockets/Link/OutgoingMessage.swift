import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// A message on its way out, and who waits until the operating system has it.
final class OutgoingMessage: Sendable {
    private struct State: Sendable {
        var sender: CheckedContinuation<Void, any Error>?
        var outcome: Result<Void, any Error>?
        /// What is of no use any more at its end.
        var patience: (timers: TimerQueue, ticket: TimerQueue.Ticket)?
    }

    let content: Data
    let isText: Bool
    private let state = Locked(State())

    init(_ message: SocketMessage) { (content, isText) = (message.bytes, message.isText) }

    /// What became of it, once that is known.
    var outcome: Result<Void, any Error>? { state.withLock(\.outcome) }

    /// Tells who waits; never called under a lock.
    ///
    /// - Returns: Whether this result was the first.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> Bool {
        let last = state.withLock { state -> State? in
            guard state.outcome == nil else { return nil }
            defer { state = State(outcome: result) }
            return state
        }
        if let patience = last?.patience { patience.timers.cancel(patience.ticket) }
        last?.sender?.resume(with: result)
        return last != nil
    }

    /// Ends it as cancelled at a time, unless it ends before; then `late` is called.
    func cancel(at time: Duration, by timers: TimerQueue, late: @escaping @Sendable () -> Void) {
        let ticket = timers.set(at: time) { [self] in
            if end(.failure(CancellationError())) { late() }
        }
        let isOver = state.withLock { state in
            if state.outcome == nil { state.patience = (timers, ticket) }
            return state.outcome != nil
        }
        if isOver { timers.cancel(ticket) }
    }

    /// Suspends the sender until its message has gone, or cannot go; cancellation is its caller's to judge.
    func gone() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> Result<Void, any Error>? in
                if state.outcome == nil { state.sender = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(with: outcome) }
        }
    }
}
