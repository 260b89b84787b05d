/// One suspended caller: a result, its cancellation or its time limit resumes it, whichever is first; the others have no
/// effect.
///
/// Inlined, because generic code of another module costs a message over a socket an eighth of its instructions.
@usableFromInline package final class Waiter<Value: Sendable>: Sendable {
    @usableFromInline enum State: Sendable {
        case open
        case parked(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    @usableFromInline let state: Locked<State>

    @inlinable package init() { state = Locked(State.open) }

    /// The caller's result, once there is one.
    @inlinable package var outcome: Result<Value, any Error>? {
        state.withLock { if case .ended(let result) = $0 { result } else { nil } }
    }

    /// Resumes the caller, not under a lock; returns whether this result was the first.
    @discardableResult
    @inlinable package func resume(_ result: Result<Value, any Error>) -> Bool {
        let (counts, parked) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            switch state {
            case .ended: return (false, nil)
            case .open:
                state = .ended(result)
                return (true, nil)
            case .parked(let continuation):
                state = .ended(result)
                return (true, continuation)
            }
        }
        parked?.resume(with: result)
        return counts
    }

    /// Suspends the single caller, which calls once, until there is a result, or its task is cancelled.
    @inlinable package func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { park($0) }
        } onCancel: {
            resume(.failure(CancellationError()))
        }
    }

    /// The same, except that a cancelled task waits for the result, too.
    @inlinable package func result() async throws -> Value { try await withCheckedThrowingContinuation { park($0) } }

    @inlinable func park(_ continuation: CheckedContinuation<Value, any Error>) {
        let settled = state.withLock { state -> Result<Value, any Error>? in
            if case .ended(let result) = state { return result }
            state = .parked(continuation)
            return nil
        }
        if let settled { continuation.resume(with: settled) }
    }
}

extension Waiter: Hashable {
    @inlinable package static func == (left: Waiter, right: Waiter) -> Bool { left === right }
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
