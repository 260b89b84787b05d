import CoreNetKitChain
import CoreNetKitSystem

/// Remembers the last call of each key, for `debounce`, `throttle` and `latest`.
///
/// Create one for the source of the calls, such as a screen or a service, and keep it: chains that share it and a key
/// pace each other. A superseded call ends as cancelled.
public final class Debouncer: Sendable {
    private struct State: Sendable {
        /// When the next call of a key may pass.
        var closed: [String: Duration] = [:]
        /// The latest call of each key that has not ended, and how to cancel it once it has begun.
        var latest: [String: (generation: Int, cancel: (@Sendable () -> Void)?)] = [:]
        var lastGeneration = 0
    }

    private let state = Locked(State())

    /// Creates a debouncer without state.
    public init() {}

    /// Whether no call of the key has passed during the interval; if so, this one passes.
    func pass(_ key: String, every interval: Duration, at now: Duration) -> Bool {
        state.withLock { state in
            if let end = state.closed[key], now < end { return false }
            // There may be many keys, so expired ones are removed.
            if state.closed.count > 64 { state.closed = state.closed.filter { now < $0.value } }
            state.closed[key] = now + interval.bounded
            return true
        }
    }

    // MARK: - The latest call of a key

    /// Runs a call as the latest one of its key: the previous one is cancelled, whether it waits or is on the wire.
    ///
    /// `work` runs in a task of its own. Its result is never delivered after a newer call has begun.
    package func latest<Value: Sendable>(
        _ key: String,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let generation = begin(key)
        let task = Task<Value, any Error>.inside {
            try Task.checkCancellation()
            return try await work()
        }
        // Superseded while it began.
        if !replace(key, generation, by: { task.cancel() }) { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        guard replace(key, generation, by: nil) else { throw CancellationError() }
        return try result.get()
    }

    private func begin(_ key: String) -> Int {
        let (generation, superseded) = state.withLock { state in
            state.lastGeneration += 1
            return (state.lastGeneration, state.latest.updateValue((state.lastGeneration, nil), forKey: key))
        }
        superseded?.cancel?()
        return generation
    }

    /// Sets how a call is cancelled, `nil` after its end; `false` if another call of the key has arrived in the meantime.
    private func replace(_ key: String, _ generation: Int, by cancel: (@Sendable () -> Void)?) -> Bool {
        state.withLock { state in
            guard state.latest[key]?.generation == generation else { return false }
            state.latest[key] = cancel == nil ? nil : (generation, cancel)
            return true
        }
    }
}
