import Synchronization

/// A time limit that calls inherit from the code around them, as ``CallClock/within(_:isolation:_:)`` says.
///
/// A task-local value, because no value of the outer call reaches closures that call other chains. It does not apply to
/// work shared with other callers: a token refresh, a coalesced exchange, a revalidation, deliveries of an outbox.
package final class CallDeadline: Sendable {
    /// The limit of the running code.
    @TaskLocal package static var current: CallDeadline?

    /// The number of limits in the process: a check of this is much cheaper than reading a task-local value.
    ///
    /// A task-local value lives as long as any task can read it, so code with a limit never finds 0 here.
    private static let living = Atomic<Int>(0)

    /// The limit of the running code, on the fast path of nearly every call.
    static var surrounding: CallDeadline? { living.load(ordering: .relaxed) == 0 ? nil : current }

    private let end: Duration
    private let clock: CallClock

    /// Runs work without the surrounding limit: work shared with other callers, or work that outlives its caller.
    package static func outside<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        // Reading a task-local value is cheaper than setting one.
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
    /// Limits the total time of the calls that the work makes, from now and by this clock.
    ///
    /// Only calls of chains observe the limit: they fail with `deadlineExceeded`. Other work is not ended. Child tasks
    /// and `Task { }` inherit the limit. A `Task.detached` does not, `set(deadline: nil)` leaves it for one call, and
    /// it does not apply to work shared with other callers, such as a token refresh. With zero or less, no call reaches
    /// the network. A surrounding limit still holds.
    public func within<Value>(
        _ length: Duration,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        let deadline = CallDeadline(end: CallDeadline.time(min: time(after: length), by: self), clock: self)
        return try await CallDeadline.$current.withValue(deadline, operation: work, isolation: isolation)
    }
}
