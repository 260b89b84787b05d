import CoreNetKitEssentials
import CoreNetKitSystem

/// The streams of changes; a slow reader gets `.all` instead of an unbounded backlog.
package final class ChangeFeed: Sendable {
    private struct Listener: Sendable {
        let prefix: String
        let continuation: AsyncStream<SharedChange>.Continuation

        func notify(_ change: SharedChange) {
            // Overflow drops the oldest changes, so the last element says that changes are missing.
            if case .dropped = continuation.yield(change) { continuation.yield(.all) }
        }
    }

    private let listeners = Locked<[UUID: Listener]>([:])

    package init() {}

    deinit { for listener in listeners.withLock(\.values) { listener.continuation.finish() } }

    package var prefixes: Set<String> { listeners.withLock { Set($0.values.map(\.prefix)) } }

    /// Creates a stream of the changes of one kind; if changes are already reported, it gets its first element at once.
    package func stream(of kind: String, begins: () -> Bool) -> AsyncStream<SharedChange> {
        let (stream, continuation) = AsyncStream<SharedChange>.makeStream(bufferingPolicy: .bufferingNewest(1024))
        let listener = Listener(prefix: SharedKey.prefix(of: kind), continuation: continuation)
        let id = UUID()
        listeners.withLock { $0[id] = listener }
        continuation.onTermination = { [weak self] _ in self?.listeners.withLock { $0[id] = nil } }
        if begins() { listener.notify(.all) }
        return stream
    }

    package func notify(_ key: SharedKey) {
        for listener in find({ key.text.hasPrefix($0) }) { listener.notify(.key(key)) }
    }

    package func notifyAll() { for listener in find({ _ in true }) { listener.notify(.all) } }

    /// Reports that changes with the prefix are reported from now on, and that any of its keys may have changed before.
    package func notifyAll(_ prefix: String) { for listener in find({ $0 == prefix }) { listener.notify(.all) } }

    package func finish(_ prefix: String) { for listener in find({ $0 == prefix }) { listener.continuation.finish() } }

    private func find(_ isMeant: (_ prefix: String) -> Bool) -> [Listener] {
        listeners.withLock { $0.values.filter { isMeant($0.prefix) } }
    }
}
