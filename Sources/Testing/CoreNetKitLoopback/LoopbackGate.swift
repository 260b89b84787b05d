import CoreNetKitHTTP
import CoreNetKitSystem

/// A barrier between a test and a handler or a stalled response: waiters continue when it is opened.
public final class LoopbackGate: Sendable {
    private struct State: Sendable {
        var isOpen: Bool
        var nextKey = 0
        var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
        var listeners: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    /// Creates a gate.
    public init(isOpen: Bool = false) { state = Locked(State(isOpen: isOpen)) }

    /// Releases all current and later waiters.
    public func open() {
        let (waiters, listeners) = state.withLock { state in
            defer {
                state.isOpen = true
                state.waiters = [:]
                state.listeners = []
            }
            return (Array(state.waiters.values), state.listeners)
        }
        for waiter in waiters { waiter.resume() }
        for listener in listeners { listener() }
    }

    /// Makes all later callers wait.
    public func close() { state.withLock { $0.isOpen = false } }

    /// Returns when the gate is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func wait() async throws {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                let isCancelled = Task.isCancelled
                let goesOn = state.withLock { state in
                    if !isCancelled && !state.isOpen { state.waiters[key] = waiter }
                    return state.isOpen
                }
                if isCancelled { waiter.resume(throwing: CancellationError()) } else if goesOn { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: key) }?.resume(throwing: CancellationError())
        }
    }

    /// Calls the listener once: now if the gate is open, else when it opens.
    func notify(_ listener: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.listeners.append(listener) }
            return state.isOpen
        }
        if isOpen { listener() }
    }
}
