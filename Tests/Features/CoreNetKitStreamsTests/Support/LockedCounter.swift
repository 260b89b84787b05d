import CoreNetKitSystem

/// Counts what happens on any thread.
struct LockedCounter: Sendable {
    private let count = Locked(0)

    /// The number of this time, from 1.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
