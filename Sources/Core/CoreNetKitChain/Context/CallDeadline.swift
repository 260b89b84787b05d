import Synchronization

/// A time limit that calls inherit from the code around them.
///
/// A call with a deadline of its own, set with `set(deadline:)`, passes it on to the calls that its nodes, providers and
/// closures make; ``CallClock/within(_:isolation:_:)`` sets one for several calls in a row. No call in it ends later, however long its
/// own deadline is; each keeps what is left, whatever clock it goes by.
///
/// A task-local, for no value of the outer call reaches the closures that call other chains. A `Task.detached` has none,
/// `set(deadline: nil)` leaves it for one call, and work that is shared with other callers does not know it: the refresh
/// of a token, the exchange of equal requests, a validation behind the caller's back, deliveries of an outbox.
package final class CallDeadline: Sendable {
    /// The limit of the running code.
    @TaskLocal package static var current: CallDeadline?

    /// How many there are in the process: checking this costs a twentieth of reading a task-local.
    ///
    /// A task-local holds its value for as long as a task can read it: code with a limit never finds none.
    private static let living = Atomic<Int>(0)

    /// The limit of the running code, on the fast path of nearly every call.
    static var surrounding: CallDeadline? { living.load(ordering: .relaxed) == 0 ? nil : current }

    private let end: Duration
    private let clock: CallClock

    /// Runs what is shared with callers who have other limits, or outlives its caller.
    package static func outside<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        // Setting a task-local costs more than checking.
        guard current != nil else { return try await work() }
        return try await $current.withValue(nil, operation: work, isolation: isolation)
    }

    /// The limit of calls nested in one that must end at a time; `nil` for no limit.
    convenience init?(end: Duration?, clock: CallClock) {
        guard let end else { return nil }
        self.init(end: end, clock: clock)
    }

    fileprivate init(end: Duration, clock: CallClock) {
        (self.end, self.clock) = (end, clock)
        Self.living.add(1, ordering: .relaxed)
    }

    deinit { Self.living.subtract(1, ordering: .relaxed) }

    /// The earlier one of a time and the end of the surrounding limit.
    fileprivate static func time(min time: Duration, by clock: CallClock) -> Duration {
        current.map { min(time, $0.end(by: clock)) } ?? time
    }

    /// The limit's end as a time of another clock, with the same remaining time.
    func end(by other: CallClock) -> Duration {
        other.isSame(as: clock) ? end : other.time(after: end - clock.now)
    }
}

extension CallClock {
    /// Lets the work's calls take no longer than this in all.
    ///
    /// Only calls of chains know the limit: they fail with `deadlineExceeded`. Other work is not ended. Child tasks and `Task { }`
    /// inherit it. A `Task.detached` has none, `set(deadline: nil)` leaves it for one call, and work that is shared with other
    /// callers, as the refresh of a token, does not know it.
    /// - Parameters:
    ///   - length: How long, from now, by this clock; zero or less lets no call reach the network. The surrounding limit still holds.
    ///   - isolation: The actor that the work runs on, the caller's.
    ///   - work: Makes the calls, in its own task and in child tasks.
    /// - Returns: What the work gives.
    /// - Throws: What the work throws.
    public func within<Value>(
        _ length: Duration,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        let deadline = CallDeadline(end: CallDeadline.time(min: time(after: length), by: self), clock: self)
        return try await CallDeadline.$current.withValue(deadline, operation: work, isolation: isolation)
    }
}
