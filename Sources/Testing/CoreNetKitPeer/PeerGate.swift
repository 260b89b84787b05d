import CoreNetKitSystem

/// Lets one writer pass, or makes it wait.
package final class PeerGate: Sendable {
    private struct State: Sendable {
        var isOpen = true
        var isGone = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    package func set(isOpen: Bool) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isOpen = isOpen
            return isOpen ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Closes the gate for good.
    package func close() {
        state.withLock { $0.isGone = true }
        set(isOpen: true)
    }

    /// Returns when the gate is open, or closed for good.
    ///
    /// - Returns: Whether it is open.
    package func pass() async -> Bool {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        return state.withLock { !$0.isGone }
    }
}
