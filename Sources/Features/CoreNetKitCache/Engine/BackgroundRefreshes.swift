import CoreNetKitChain
import CoreNetKitSystem

/// Validations in the background: one per key at a time, a limited number at once, none after the end.
package struct BackgroundRefreshes: Sendable {
    private struct State: Sendable {
        var running: [CacheKey: Task<Void, Never>] = [:]
        var isEnded = false
    }

    private let state = Locked(State())
    private let limit: Int

    /// Creates an empty set.
    ///
    /// - Parameter limit: The maximum number at once; more are skipped, because the next use tries again.
    package init(limit: Int = 8) { self.limit = limit }

    /// Starts work for a key, unless some is running.
    ///
    /// - Returns: Whether it was started.
    @discardableResult
    package func start(_ key: CacheKey, _ work: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isEnded, state.running[key] == nil, state.running.count < limit else { return false }
            // The task cannot end before it is in the table: its end takes the same lock.
            state.running[key] = Task {
                await CallDeadline.outside(work)
                self.state.withLock { _ = $0.running.removeValue(forKey: key) }
            }
            return true
        }
    }

    /// Waits until nothing is running.
    package func idle() async {
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }

    /// Cancels all work and starts no more.
    package func end() {
        let running = state.withLock { state in
            state.isEnded = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
    }
}
