import CoreNetKitChain
package import CoreNetKitSystem

/// Limits how many requests are sent per interval: a token bucket.
///
/// Create one for each server with such a limit and pass it to a ``Client`` or to builders. Every attempt counts, as the
/// server counts it. A call whose turn comes after its deadline fails at once with `rateLimited`; if a call is cancelled
/// while it waits, its turn goes to the next call.
public final class RateLimiter: Sendable {
    package typealias Caller = Waiter<Duration>

    private let state: Locked<RateState<Caller>>
    /// Where the turns come from if not from a rate that this object counts.
    let source: (any RateSource)?
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    package let settingsProblem: String?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - count: The number of requests per period, above zero.
    ///   - period: The length of the period, above zero.
    ///   - burst: How many requests may be sent at once after a pause, above zero; with 1 they are evenly spaced, and
    ///     no period has more than `count`.
    public init(_ count: Int, per period: Duration = .seconds(1), burst: Int = 1) {
        if count < 1 {
            settingsProblem = "the rate of \(count) requests is not above zero"
        } else if period <= .zero {
            settingsProblem = "the period of \(period) of a rate is not above zero"
        } else {
            settingsProblem = burst < 1 ? "the burst of \(burst) requests is not above zero" : nil
        }
        let interval = settingsProblem == nil ? min(period, Duration.forever) / count : .seconds(1)
        // Compared in seconds: the product of two large numbers would not fit.
        let ahead = max(1, burst) - 1
        let seconds = interval / .seconds(1) * Double(ahead)
        let lead = seconds < Duration.forever / .seconds(1) ? interval * ahead : Duration.forever
        state = Locked(RateState(interval: interval, lead: lead))
        source = nil
    }

    /// Creates a limiter for a rate that several processes share.
    package init(source: any RateSource) {
        state = Locked(RateState(interval: .seconds(1), lead: .zero))
        self.source = source
        settingsProblem = source.problem
    }

    package var callsWaiting: Int { state.withLock { $0.waiting } }

    /// Takes the next turn, if it comes before the deadline.
    package func reserve(at now: Duration, before deadline: Duration?) -> RateState<Caller>.Turn {
        state.withLock { $0.reserve(at: now, before: deadline) { Caller() } }
    }

    /// Waits for the turn of a caller, known if it is first in line; if it is cancelled, the turn goes to another call.
    func wait(_ caller: Caller, until turn: Duration?, on clock: CallClock) async throws {
        do {
            let turn = if let turn { turn } else { try await caller.value() }
            try await clock.sleep(until: turn)
            // Cancelled as its turn came: the turn goes to the next call.
            try Task.checkCancellation()
        } catch {
            call(state.withLock { $0.leave(caller) })
            throw error
        }
        call(state.withLock { $0.pass(caller) })
    }

    private func call(_ next: RateState<Caller>.Call?) {
        // A call that was cancelled at the same moment leaves, and wakes the next one.
        if let next { next.caller.resume(.success(next.turn)) }
    }
}

/// The rules of a rate: when the next request may be sent, and which calls wait.
///
/// Only the first waiting call has a time; when it proceeds or leaves, the next call gets the next turn. So no call waits
/// for an unused turn. A plain value, like `LimiterState`.
package struct RateState<Caller: Hashable & Sendable>: Sendable {
    package enum Turn: Equatable {
        case now
        /// The call has to wait: until that time if it is first in line, otherwise until it is woken.
        case at(Duration, Caller, isFirst: Bool)
        /// The turn would come too late.
        case never(wait: Duration)
    }

    /// The next call, and when it may proceed.
    package typealias Call = (caller: Caller, turn: Duration)

    private let interval: Duration
    /// How much earlier than evenly spaced a request may be sent.
    private let lead: Duration
    /// When the bucket is full again.
    private var fullTime: Duration?
    private var queue = WaitQueue<Caller>()

    package init(interval: Duration, lead: Duration) {
        (self.interval, self.lead) = (interval, lead)
    }

    package var waiting: Int { queue.count }

    /// Takes the next turn, if it comes before the deadline; `caller` is only called if the call must wait.
    package mutating func reserve(
        at now: Duration,
        before deadline: Duration?,
        _ caller: () -> Caller
    ) -> Turn {
        let full = queue.isEmpty ? max(fullTime ?? now, now) : fullTime ?? now
        let turn = full - lead + interval * queue.count
        if turn <= now, queue.isEmpty {
            fullTime = full + interval
            return .now
        }
        if turn > now, let deadline, turn >= deadline { return .never(wait: turn - now) }
        let caller = caller()
        queue.append(caller)
        return .at(turn, caller, isFirst: queue.count == 1)
    }

    /// Lets the first call proceed; returns the next one, to wake.
    package mutating func pass(_ caller: Caller) -> Call? {
        guard queue.first == caller, let full = fullTime else { return leave(caller) }
        fullTime = full + interval
        return leave(caller)
    }

    /// Removes a call that stops waiting, if it is known; returns the next one, to wake.
    package mutating func leave(_ caller: Caller) -> Call? {
        let wasFirst = queue.first == caller
        guard queue.remove(caller), wasFirst, let next = queue.first, let full = fullTime else { return nil }
        return (next, full - lead)
    }
}
