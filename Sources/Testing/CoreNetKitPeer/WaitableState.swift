import CoreNetKitSystem

/// Locked state with waiting: each change wakes the tasks whose condition has become true.
///
/// Conditions run under the lock, so they must not be user code.
package final class WaitableState<State: Sendable>: Sendable {
    package typealias Condition = @Sendable (State) -> Result<Void, any Error>?

    private let content: Locked<(state: State, waiting: [(waiter: Waiter<Void>, outcome: Condition)])>

    package init(_ state: State) { content = Locked((state, [])) }

    package var value: State { content.withLock { $0.state } }

    package func read<Output: Sendable>(_ body: (State) -> Output) -> Output { content.withLock { body($0.state) } }

    /// Changes the state, then wakes the tasks that waited for the change.
    @discardableResult
    package func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, met) = content.withLock { content -> (Value, [(Waiter<Void>, Result<Void, any Error>)]) in
            let value = body(&content.state)
            let state = content.state
            return (value, content.waiting.compactMap { entry in entry.outcome(state).map { (entry.waiter, $0) } })
        }
        for (waiter, outcome) in met { waiter.resume(outcome) }
        return value
    }

    package func wait(until isMet: @escaping @Sendable (State) -> Bool) async throws {
        try await wait(for: { isMet($0) ? .success(()) : nil })
    }

    /// Waits for an outcome; `nil` means that there is none yet.
    package func wait(for outcome: @escaping Condition) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let known = content.withLock { content in
            let known = outcome(content.state)
            if known == nil { content.waiting.append((waiter, outcome)) }
            return known
        }
        if let known { return try known.get() }
        defer { content.withLock { $0.waiting.removeAll { $0.waiter === waiter } } }
        try await waiter.value()
    }
}
