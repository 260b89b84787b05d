package import CoreNetKitChain
import CoreNetKitSystem

/// How long a call of a storage is waited for; after one that took longer, the storage is left alone for a while.
///
/// Work that is late goes on to its end: a mark must not be lost.
package struct CachePatience: Sendable {
    private let clock: CallClock
    private let limit: Duration
    /// Until when nothing is asked.
    private let rest: Locked<Duration?>

    package init(_ limit: Duration, on clock: CallClock) {
        (self.limit, self.clock) = (limit, clock)
        rest = Locked(nil)
    }

    /// The result of work, `nil` where it does not come in time.
    package func value<Value: Sendable>(of work: @escaping @Sendable () async -> Value) async -> Value? {
        let mayAsk = rest.withLock { rest in
            guard let until = rest else { return true }
            guard clock.now >= until else { return false }
            rest = nil
            return true
        }
        guard mayAsk else { return nil }
        let waiter = Waiter<Value?>()
        _ = Task.here { waiter.resume(.success(await work())) }
        // Who is cancelled leaves at once.
        return try? await waiter.value(until: clock.time(after: limit), on: clock) { [clock, limit, rest] in
            rest.withLock { $0 = clock.time(after: limit) }
            return .success(nil)
        }
    }
}
