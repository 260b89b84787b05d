import CoreNetKitSystem

/// Lets one writer through, or makes it wait.
package final class PeerGate: Sendable {
    private struct State: Sendable {
        var isOpen = true
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

    /// Returns when the gate is open.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
