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

    package var isDone: Bool { state.withLock(\.isDone) }

    package var value: Value { state.withLock(\.value) }

    /// Changes the value and notifies all listeners, unless it is equal.
    package func set(_ value: Value) { change { $0 = value } }

    package func change(_ change: (inout Value) -> Void) {
        state.withLock { state in
            var value = state.value
            change(&value)
            guard state.value != value, !state.isDone else { return }
            state.value = value
            // Under the lock: of two changes at a time, listeners must not be left with the older value.
            for listener in state.listeners.values { listener.yield(value) }
        }
    }

    package func finish() {
        let listeners = state.withLock { state in
            defer { (state.isDone, state.listeners) = (true, [:]) }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    package var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let key = state.withLock { state -> Int? in
            continuation.yield(state.value)
            guard !state.isDone else { return nil }
            state.lastKey += 1
            state.listeners[state.lastKey] = continuation
            return state.lastKey
        }
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
