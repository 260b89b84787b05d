import CoreNetKitSystem

/// The streams of changes; a slow reader gets `.all` instead of an unbounded backlog.
package final class ChangeFeed: Sendable {
    /// How many changes are buffered for one reader.
    private static let bufferLimit = 1024

    private struct Listener: Sendable {
        let prefix: String
        let continuation: AsyncStream<SharedChange>.Continuation

        func notify(_ change: SharedChange) {
            // Overflow drops the oldest changes, so the last element says that changes are missing.
            if case .dropped = continuation.yield(change) { continuation.yield(.all) }
        }
    }

    private struct State: Sendable {
        var last = 0
        var listeners: [Int: Listener] = [:]
    }

    private let state = Locked(State())

    package init() {}

    deinit { for listener in state.withLock({ $0.listeners.values }) { listener.continuation.finish() } }

    /// The key prefixes that streams subscribe to.
    package var prefixes: Set<String> { state.withLock { Set($0.listeners.values.map(\.prefix)) } }

    /// Creates a stream of the changes of one kind; if changes are already reported, it gets its first element at once.
    package func stream(of kind: String, begins: () -> Bool) -> AsyncStream<SharedChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SharedChange.self,
            bufferingPolicy: .bufferingNewest(ChangeFeed.bufferLimit)
        )
        let listener = Listener(prefix: SharedKey.prefix(of: kind), continuation: continuation)
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = listener
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        if begins() { listener.notify(.all) }
        return stream
    }

    package func notify(_ key: SharedKey) {
        let listeners = state.withLock { state in
            state.listeners.isEmpty ? [] : state.listeners.values.filter { key.text.hasPrefix($0.prefix) }
        }
        for listener in listeners { listener.notify(.key(key)) }
    }

    package func notifyAll() { for listener in state.withLock({ $0.listeners.values }) { listener.notify(.all) } }

    /// Reports that changes with the prefix are reported from now on, and that any of its keys may have changed before.
    package func notifyAll(_ prefix: String) { for listener in listeners(prefix) { listener.notify(.all) } }

    package func finish(_ prefix: String) { for listener in listeners(prefix) { listener.continuation.finish() } }

    private func listeners(_ prefix: String) -> [Listener] {
        state.withLock { $0.listeners.values.filter { $0.prefix == prefix } }
    }
}
