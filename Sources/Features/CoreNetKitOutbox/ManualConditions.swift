import CoreNetKitSystem

/// Conditions that a test or the app sets by hand.
///
/// ```swift
/// let conditions = ManualConditions([.connected], known: [.connected, .unmetered])
/// conditions.set(.unmetered, true)        // releases the entries that waited for it
/// ```
public final class ManualConditions: OutboxConditionSource {
    private struct State: Sendable {
        var holding: Set<OutboxCondition>
        var watchers: [Int: AsyncStream<Set<OutboxCondition>>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state: Locked<State>

    /// The conditions that this source reports.
    public let known: Set<OutboxCondition>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - holding: The conditions that hold at first.
    ///   - known: The conditions that it reports.
    public init(_ holding: Set<OutboxCondition> = [], known: Set<OutboxCondition> = [.connected, .unmetered]) {
        self.known = known
        state = Locked(State(holding: holding))
    }

    /// Sets whether a condition holds.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - holds: Whether it holds.
    public func set(_ condition: OutboxCondition, _ holds: Bool) {
        state.withLock { state in
            if holds { state.holding.insert(condition) } else { state.holding.remove(condition) }
            // Under the lock, so that every watcher sees two changes in their order.
            for watcher in state.watchers.values { watcher.yield(state.holding) }
        }
    }

    /// The conditions that hold now, and again after each change; a slow reader sees only the newest set.
    public func holding() -> AsyncStream<Set<OutboxCondition>> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.lastNumber += 1
                state.watchers[state.lastNumber] = continuation
                continuation.yield(state.holding)
                return state.lastNumber
            }
            continuation.onTermination = { [weak self] _ in self?.forget(number) }
        }
    }

    private func forget(_ number: Int) { state.withLock { $0.watchers[number] = nil } }
}
