import CoreNetKitPeer

/// A clock whose time moves only when a test moves it.
///
/// Pass it to whatever waits: a `Client`, a policy, a ``MockTransport`` with delays. Wait until the code under test
/// sleeps, then move the time; no real time passes and the result is deterministic:
///
///     try await clock.waitForSleepers(1)
///     clock.advance(by: .seconds(30))
///
/// `advance` wakes sleepers in the order of their deadlines, those with the same deadline in the order in which they began,
/// and returns at once. Whatever a woken task does next, such as a second sleep, begins at the new time:
/// step through a series of waits with ``advanceToNextSleeper()``.
public final class ManualClock: Clock, Sendable {
    /// A point of time on the clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The distance from the clock's start.
        public let offset: Duration

        /// Creates an instant.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The instant that much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How much later the other instant is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether the left one is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        /// The distance from the clock's start.
        public var description: String { "\(offset)" }
    }

    private struct Sleeper: Sendable {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now: Instant
        /// Sorted by wake-up time.
        var sleepers: [Sleeper] = []
        var lastID: UInt64 = 0

        mutating func insert(_ sleeper: Sleeper) {
            let position = sleepers.lastIndex { $0.deadline <= sleeper.deadline }.map { $0 + 1 } ?? 0
            sleepers.insert(sleeper, at: position)
        }

        /// Moves to the instant, never back, and removes all sleepers until then.
        mutating func move(to instant: Instant) -> [Sleeper] {
            now = max(now, instant)
            let count = sleepers.firstIndex { $0.deadline > now } ?? sleepers.count
            defer { sleepers.removeFirst(count) }
            return Array(sleepers[..<count])
        }
    }

    private let state: WaitableState<State>

    /// Creates a clock that stands still.
    public init(now: Instant = Instant()) { state = WaitableState(State(now: now)) }

    /// The time it was moved to.
    public var now: Instant { state.read { $0.now } }

    /// Zero: every instant is distinguishable.
    public var minimumResolution: Duration { .zero }

    /// The deadlines of the sleeping tasks, in the order in which they wake.
    public var sleepers: [Instant] { state.read { $0.sleepers.map(\.deadline) } }

    /// Suspends the task until the clock is moved to the deadline, or beyond; a past deadline returns at once.
    ///
    /// The tolerance is not used: the wake-up is exact.
    /// - Throws: `CancellationError` at once when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.update { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.update { state in
                    // The handler below may have run already; then the task is cancelled.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.insert(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = state.update { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the time forward and wakes all tasks whose deadline is reached.
    public func advance(by duration: Duration) {
        wake(state.update { $0.move(to: $0.now.advanced(by: duration)) })
    }

    /// Moves the time forward to an instant in the same way; an earlier one is ignored.
    public func advance(to instant: Instant) { wake(state.update { $0.move(to: instant) }) }

    /// Waits until a task sleeps, then moves the time to the earliest deadline and wakes its tasks.
    ///
    /// - Returns: The deadline, now the clock's time.
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    @discardableResult
    public func advanceToNextSleeper() async throws -> Instant {
        while true {
            try await waitForSleepers(1)
            let (woken, now) = state.update { state in
                (state.sleepers.first.map { state.move(to: $0.deadline) } ?? [], state.now)
            }
            // The task that slept may have been cancelled in between.
            guard !woken.isEmpty else { continue }
            wake(woken)
            return now
        }
    }

    private func wake(_ sleepers: [Sleeper]) {
        for sleeper in sleepers { sleeper.continuation.resume() }
    }

    /// Waits until at least this many tasks sleep on this clock.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    public func waitForSleepers(_ count: Int) async throws { try await state.wait { $0.sleepers.count >= count } }
}
