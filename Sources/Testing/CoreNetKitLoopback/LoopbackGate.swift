import CoreNetKitPeer

/// A barrier between a test and a handler or a stalled response: waiters continue when it is opened.
public final class LoopbackGate: Sendable {
    private struct State: Sendable {
        var isOpen: Bool
        var listeners: [@Sendable () -> Void] = []
    }

    private let state: Watched<State>

    /// Creates a gate.
    public init(isOpen: Bool = false) { state = Watched(State(isOpen: isOpen)) }

    /// Releases all current and later waiters.
    public func open() {
        let listeners = state.update { state in
            defer { state = State(isOpen: true) }
            return state.listeners
        }
        for listener in listeners { listener() }
    }

    /// Makes all later callers wait.
    public func close() { state.update { $0.isOpen = false } }

    /// Returns when the gate is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func wait() async throws { try await state.wait(until: \.isOpen) }

    /// Calls the listener once: now if the gate is open, else when it opens.
    func notify(_ listener: @escaping @Sendable () -> Void) {
        let isOpen = state.update { state in
            if !state.isOpen { state.listeners.append(listener) }
            return state.isOpen
        }
        if isOpen { listener() }
    }
}
