package import CoreNetKitChain
import CoreNetKitSystem

/// The timeout of a storage; after a call that timed out, the storage is left alone for as long again.
///
/// A call with a deadline waits at most for half of the remaining time, and leaves the other half to the server. Late work
/// continues to its end: a mark must not be lost.
package struct CachePatience: Sendable {
    let clock: CallClock
    let limit: Duration
    /// The deadline of the waiting call.
    private let deadline: Duration?
    /// Until when the storage is left alone.
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

    /// The same timeout for a call with a deadline.
    package func within(_ deadline: Duration?) -> CachePatience {
        CachePatience(self, deadline: deadline, onLate: onLate)
    }

    /// The same timeout, which reports when it expires.
    func telling(_ onLate: (@Sendable () -> Void)?) -> CachePatience {
        CachePatience(self, deadline: deadline, onLate: onLate)
    }

    /// The result of work; `nil` on a timeout.
    ///
    /// - Parameters:
    ///   - isBegun: Whether it continues earlier work, which is allowed while the storage is left alone.
    ///   - work: The work.
    /// - Returns: The result.
    package func value<Value: Sendable>(isBegun: Bool = false, of work: @escaping @Sendable () async -> Value) async
        -> Value?
    {
        guard isBegun || mayAsk else { return nil }
        let waiter = Waiter<Value?>()
        _ = Task.here { waiter.resume(.success(await work())) }
        // A cancelled caller returns at once.
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
