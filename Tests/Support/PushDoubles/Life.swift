package import FileModel
package import PushRegistration
import Synchronization

/// A process that may be killed: every step that leaves a trace asks whether it still runs, and its files end with it.
package final class Life: Sendable {
    package struct Killed: Error {}

    private let left: Atomic<Int>
    private let files: ModelFiles?

    /// A process that does so many steps; `.max` is never killed.
    package init(steps: Int = .max, files: ModelFiles? = nil) {
        left = Atomic(steps)
        self.files = files
    }

    package var isOver: Bool { left.load(ordering: .sequentiallyConsistent) < 0 || files?.isStopped == true }

    package func step() throws {
        guard left.subtract(1, ordering: .sequentiallyConsistent).newValue >= 0, files?.isStopped != true else {
            files?.fail { _, _ in ModelFiles.stopped }
            throw Killed()
        }
    }
}

/// A store that works as long as its process lives.
package struct MortalStore: KeyValueStore {
    private let inner: InMemoryStore
    private let life: Life

    package init(_ inner: InMemoryStore, _ life: Life) { (self.inner, self.life) = (inner, life) }

    package func string(for key: String) throws -> String? {
        if life.isOver { throw Life.Killed() }
        return inner.string(for: key)
    }

    package func set(_ value: String?, for key: String) throws {
        try life.step()
        inner.set(value, for: key)
    }
}
