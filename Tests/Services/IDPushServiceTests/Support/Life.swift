import Foundation
import IDPushService
import Synchronization

/// A process that may be killed: every step that leaves a trace asks whether it still runs.
final class Life: Sendable {
    struct Killed: Error {}

    private let left: Atomic<Int>

    /// A process that does so many steps; `.max` is never killed.
    init(steps: Int = .max) { left = Atomic(steps) }

    var isOver: Bool { left.load(ordering: .sequentiallyConsistent) <= 0 }

    func step() throws {
        guard left.subtract(1, ordering: .sequentiallyConsistent).newValue >= 0 else { throw Killed() }
    }
}

/// A store that works as long as its process lives.
struct MortalStore: KeyValueStore {
    let inner: InMemoryStore
    let life: Life

    func string(for key: String) throws -> String? {
        // A process that ends before it reads leaves what one leaves that ends before it writes.
        if life.isOver { throw Life.Killed() }
        return inner.string(for: key)
    }

    func set(_ value: String?, for key: String) throws {
        try life.step()
        inner.set(value, for: key)
    }
}
