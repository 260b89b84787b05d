package import CoreNetKitChain
import CoreNetKitSystem

/// How long a call of a storage is waited for; after one that took longer, the storage is left alone as long again.
///
/// A call with a deadline waits for half of what is left of it at most: the other half is for the server.
/// Work that is late goes on to its end: a mark must not be lost.
package struct CachePatience: Sendable {
    let clock: CallClock
    let limit: Duration
    /// The deadline of the call that waits.
    private let deadline: Duration?
    /// Until when nothing is asked.
    private let rest: Locked<Duration?>
    private let onLate: (@Sendable () -> Void)?

    package init(_ limit: Duration, on clock: CallClock) {
        (self.limit, self.clock, rest) = (limit, clock, Locked(nil))
        (deadline, onLate) = (nil, nil)
    }

    private init(_ other: CachePatience, deadline: Duration?, onLate: (@Sendable () -> Void)?) {
        (limit, clock, rest) = (other.limit, other.clock, other.rest)
        (self.deadline, self.onLate) = (deadline, onLate)
    }

    /// The same, for a call with a deadline.
    package func within(_ deadline: Duration?) -> CachePatience {
        CachePatience(self, deadline: deadline, onLate: onLate)
    }

    /// The same, which says when it does not wait any longer.
    func telling(_ onLate: (@Sendable () -> Void)?) -> CachePatience {
        CachePatience(self, deadline: deadline, onLate: onLate)
    }

    /// The result of work, `nil` where it does not come in time.
    ///
    /// - Parameters:
    ///   - isBegun: Whether it goes on with what was begun, and is not left alone.
    ///   - work: The work.
    /// - Returns: The result.
    package func value<Value: Sendable>(isBegun: Bool = false, of work: @escaping @Sendable () async -> Value) async
        -> Value?
    {
        guard isBegun || mayAsk else { return nil }
        let waiter = Waiter<Value?>()
        _ = Task.here { waiter.resume(.success(await work())) }
        // Who is cancelled leaves at once.
        let wait = wait
        return try? await waiter.value(until: clock.time(after: wait), on: clock) { [clock, rest, onLate] in
            let end = clock.time(after: wait)
            rest.withLock { $0 = max($0 ?? end, end) }
            onLate?()
            return .success(nil)
        }
    }

    private var mayAsk: Bool {
        rest.withLock { rest in
            guard let until = rest else { return true }
            guard clock.now >= until else { return false }
            rest = nil
            return true
        }
    }

    private var wait: Duration {
        guard let deadline else { return limit }
        return min(limit, max(.zero, deadline - clock.now) / 2)
    }
}
