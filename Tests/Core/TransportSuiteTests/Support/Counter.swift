import TestSupport

/// A number that any thread may add to.
struct Counter: Sendable {
    private let count = Locked(0)

    func add(_ number: Int) { count.withLock { $0 += number } }

    var value: Int { count.withLock { $0 } }
}
