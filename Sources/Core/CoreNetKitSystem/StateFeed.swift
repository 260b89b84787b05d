/// A changing value and its listeners: each gets the newest value, and may miss those in between.
package final class StateFeed<Value: Sendable & Equatable>: Sendable {
    private struct State: Sendable {
        var value: Value
        var isDone = false
        var lastKey = 0
        var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    private let state: Locked<State>

    package init(_ value: Value) { state = Locked(State(value: value)) }

    deinit { finish() }

    /// Whether no more values follow.
    package var isDone: Bool { state.withLock(\.isDone) }

    package var value: Value { state.withLock(\.value) }

    /// Changes the value and notifies all listeners, unless it is equal.
    package func set(_ value: Value) { change { _ in value } }

    /// Derives a new value from the current one, in one step.
    package func change(_ next: (Value) -> Value) {
        let (value, listeners) = state.withLock { state -> (Value, [AsyncStream<Value>.Continuation]) in
            let value = next(state.value)
            guard state.value != value, !state.isDone else { return (value, []) }
            state.value = value
            return (value, Array(state.listeners.values))
        }
        for listener in listeners { listener.yield(value) }
    }

    /// Ends the feed: no more values follow.
    package func finish() {
        let listeners = state.withLock { state in
            defer { (state.isDone, state.listeners) = (true, [:]) }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// The current value, and then the newest one each time the reader asks.
    package var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let (value, key) = state.withLock { state -> (Value, Int?) in
            guard !state.isDone else { return (state.value, nil) }
            state.lastKey += 1
            state.listeners[state.lastKey] = continuation
            return (state.value, state.lastKey)
        }
        continuation.yield(value)
        guard let key else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: key) }
        }
        return stream
    }
}
