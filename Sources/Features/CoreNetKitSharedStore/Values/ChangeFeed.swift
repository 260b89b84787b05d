import CoreNetKitSystem

/// The readers of changes; a slow reader is told that anything may have changed, so that no memory grows.
package final class ChangeFeed: Sendable {
    /// How many changes may wait for one reader.
    private static let room = 1024

    private struct Listener: Sendable {
        let prefix: String
        let continuation: AsyncStream<SharedChange>.Continuation

        func tell(_ change: SharedChange) {
            // Overflow drops the oldest changes: then the last element says that something is missing.
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

    /// The prefixes of the keys whose changes are read.
    package var prefixes: Set<String> { state.withLock { Set($0.listeners.values.map(\.prefix)) } }

    /// A stream of the changes of one kind from now on.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - begins: Whether changes are already reported: then the first element is there at once, for this reader alone.
    /// - Returns: The stream.
    package func stream(of kind: String, begins: () -> Bool) -> AsyncStream<SharedChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SharedChange.self,
            bufferingPolicy: .bufferingNewest(ChangeFeed.room)
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
        if begins() { listener.tell(.all) }
        return stream
    }

    /// The value of a key has changed.
    package func tell(_ key: SharedKey) {
        let listeners = state.withLock { state in
            state.listeners.isEmpty ? [] : state.listeners.values.filter { key.text.hasPrefix($0.prefix) }
        }
        for listener in listeners { listener.tell(.key(key)) }
    }

    /// Anything may have changed.
    package func tellAll() { for listener in state.withLock({ $0.listeners.values }) { listener.tell(.all) } }

    /// Anything with the prefix may have changed, and changes are reported from now on.
    package func tellAll(_ prefix: String) { for listener in listeners(prefix) { listener.tell(.all) } }

    /// No more changes with the prefix will be reported.
    package func finish(_ prefix: String) { for listener in listeners(prefix) { listener.continuation.finish() } }

    private func listeners(_ prefix: String) -> [Listener] {
        state.withLock { $0.listeners.values.filter { $0.prefix == prefix } }
    }
}
