import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// A message being sent, and its sender, who is suspended until the operating system has accepted it.
final class OutgoingMessage: Sendable {
    private struct State: Sendable {
        var sender: CheckedContinuation<Void, any Error>?
        var outcome: Result<Void, any Error>?
        /// The timer to cancel when the message ends.
        var timeout: (timers: TimerQueue, ticket: TimerQueue.TimerID)?
    }

    let content: Data
    let isText: Bool
    private let state = Locked(State())

    init(_ message: SocketMessage) { (content, isText) = (message.bytes, message.isText) }

    /// The result, once it is known.
    var outcome: Result<Void, any Error>? { state.withLock(\.outcome) }

    /// Resumes the sender; never called under a lock.
    ///
    /// - Returns: Whether this result was the first.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> Bool {
        let last = state.withLock { state -> State? in
            guard state.outcome == nil else { return nil }
            defer { state = State(outcome: result) }
            return state
        }
        if let timeout = last?.timeout { timeout.timers.cancel(timeout.ticket) }
        last?.sender?.resume(with: result)
        return last != nil
    }

    /// Ends the message as cancelled at the given time, unless it ends before; then `late` is called.
    func cancel(at time: Duration, by timers: TimerQueue, late: @escaping @Sendable () -> Void) {
        let ticket = timers.set(at: time) { [self] in
            if end(.failure(CancellationError())) { late() }
        }
        let isOver = state.withLock { state in
            if state.outcome == nil { state.timeout = (timers, ticket) }
            return state.outcome != nil
        }
        if isOver { timers.cancel(ticket) }
    }

    /// Suspends the sender until the message was sent or failed; the caller handles cancellation.
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
