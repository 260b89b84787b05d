import CoreNetKitEssentials
import CoreNetKitSystem

/// A message on its way out, and who waits until the operating system has it.
final class OutgoingMessage: Sendable {
    private enum State: Sendable {
        case open
        case parked(CheckedContinuation<Void, any Error>)
        case ended(Result<Void, any Error>)
    }

    let content: Data
    let isText: Bool
    private let state = Locked(State.open)

    init(_ message: SocketMessage) { (content, isText) = (message.bytes, message.isText) }

    /// What became of it, once that is known.
    var outcome: Result<Void, any Error>? { state.withLock { if case .ended(let result) = $0 { result } else { nil } } }

    /// Tells who waits; never called under a lock.
    func end(_ result: Result<Void, any Error>) {
        let parked = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { if case .ended = state {} else { state = .ended(result) } }
            if case .parked(let continuation) = state { return continuation }
            return nil
        }
        parked?.resume(with: result)
    }

    /// Suspends the sender until its message has gone, or cannot go; cancellation is its caller's to judge.
    func gone() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> Result<Void, any Error>? in
                if case .ended(let result) = state { return result }
                state = .parked(continuation)
                return nil
            }
            if let outcome { continuation.resume(with: outcome) }
        }
    }
}
