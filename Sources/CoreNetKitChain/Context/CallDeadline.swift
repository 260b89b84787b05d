import Synchronization

/// A time limit that calls inherit from the code around them.
///
/// A call with a deadline of its own, set with `set(deadline:)`, passes it on to the calls that its nodes, providers and
/// closures make; ``within(_:clock:isolation:_:)`` sets one for several calls in a row. No call inside it ends later,
/// however long its own deadline is; each gets the remaining time, whatever clock it uses.
///
/// It is a task-local, because no value of the outer call reaches the closures that call other chains. A
/// `Task.detached` has none, `set(deadline: nil)` escapes it for one call, and work that is shared with other callers
/// does not inherit it: the refresh of a token, the exchange of equal requests, a background validation,
/// deliveries of an outbox.
public struct CallDeadline: Sendable {
    /// The limit of the running code.
    @TaskLocal package static var current: CallDeadline?

    /// Whether any call of the process has had one: checking this costs a twentieth of reading a task-local.
    private static let isUsed = Atomic<Bool>(false)

    /// The limit of the running code, on the fast path of nearly every call.
    static var surrounding: CallDeadline? { isUsed.load(ordering: .relaxed) ? current : nil }

    private let end: Duration
    private let clock: CallClock

    /// Limits the total time of the calls that the work makes.
    ///
    /// Only calls of chains observe the limit: they fail with `deadlineExceeded`. Other work is not ended.
    /// - Parameters:
    ///   - length: The time from now; with zero or less no call reaches the network. The surrounding limit still
    ///     applies.
    ///   - clock: The clock of the limit.
    ///   - isolation: The actor that the work runs on, the caller's.
    ///   - work: Makes the calls, in its own task and in child tasks.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work.
    public static func within<Value>(
        _ length: Duration,
        clock: CallClock = .continuous,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        let deadline = CallDeadline(end: time(min: clock.time(after: length), by: clock), clock: clock)
        return try await $current.withValue(deadline, operation: work, isolation: isolation)
    }

    /// Runs work that is shared with callers with other limits, or that outlives its caller.
    package static func outside<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        // Setting a task-local costs more than checking.
        guard current != nil else { return try await work() }
        return try await $current.withValue(nil, operation: work, isolation: isolation)
    }

    /// The limit of calls nested in one that must end at a time; `nil` for no limit.
    init?(end: Duration?, clock: CallClock) {
        guard let end else { return nil }
        self.init(end: end, clock: clock)
    }

    private init(end: Duration, clock: CallClock) {
        (self.end, self.clock) = (end, clock)
        Self.isUsed.store(true, ordering: .relaxed)
    }

    /// The earlier one of a time and the end of the surrounding limit.
    private static func time(min time: Duration, by clock: CallClock) -> Duration {
        current.map { min(time, $0.end(by: clock)) } ?? time
    }

    /// The limit's end as a time of another clock, with the same remaining time.
    func end(by other: CallClock) -> Duration {
        other.isSame(as: clock) ? end : other.time(after: end - clock.now)
    }
}
