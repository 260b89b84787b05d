import CoreNetKitSystem

/// Conditions that are told by hand: by a test, or by an app that knows them.
///
/// ```swift
/// let conditions = ManualConditions([.connected], known: [.connected, .unmetered])
/// conditions.set(.unmetered, true)        // what waited for it goes
/// ```
public final class ManualConditions: OutboxConditionSource {
    private struct State: Sendable {
        var holding: Set<OutboxCondition>
        var watchers: [Int: AsyncStream<Set<OutboxCondition>>.Continuation] = [:]
        var lastNumber = 0
    }

    private let state: Locked<State>

    /// The conditions that it can tell of.
    public let known: Set<OutboxCondition>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - holding: What holds at first.
    ///   - known: What it can tell of.
    public init(_ holding: Set<OutboxCondition> = [], known: Set<OutboxCondition> = [.connected, .unmetered]) {
        self.known = known
        state = Locked(State(holding: holding))
    }

    /// Says whether a condition holds from now on.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - holds: Whether it holds.
    public func set(_ condition: OutboxCondition, _ holds: Bool) {
        state.withLock { state in
            if holds { state.holding.insert(condition) } else { state.holding.remove(condition) }
            // Under the lock, so that nobody sees the older of two changes last.
            for watcher in state.watchers.values { watcher.yield(state.holding) }
        }
    }

    /// What holds now, and whenever that has changed; of changes that nobody has looked at the last one.
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
