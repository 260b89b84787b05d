package import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// How many requests may be sent in a stretch of time: a token bucket.
///
/// Make one for each server that has such a limit and give it to a ``Client`` or to builders. Every attempt counts, as
/// the server counts it. Who cannot be sent within its deadline fails at once with `rateLimited`; the turn of a call
/// that is cancelled while it waits goes to the one behind it.
public final class RateLimiter: Sendable {
    package typealias Caller = Waiter<Duration>

    private let state: Locked<RateState<Caller>>
    /// Where the rate is counted for several processes.
    let sharing: (any RateSharing)?
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public let problem: String?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - count: How many requests, above zero.
    ///   - period: In which time, above zero.
    ///   - burst: How many may go at once after a rest, above zero; with 1 they are evenly spaced, and no period ever
    ///     sees more than `count`.
    public init(_ count: Int, per period: Duration = .seconds(1), burst: Int = 1) {
        if count < 1 {
            problem = "the rate of \(count) requests is not above zero"
        } else if period <= .zero {
            problem = "the period of \(period) of a rate is not above zero"
        } else {
            problem = burst < 1 ? "the burst of \(burst) requests is not above zero" : nil
        }
        let interval = problem == nil ? min(period, Duration.forever) / count : .seconds(1)
        // Compared in seconds: the product of two large numbers would not fit.
        let seconds = interval / .seconds(1) * Double(max(0, burst - 1))
        let lead = seconds < Duration.forever / .seconds(1) ? interval * max(0, burst - 1) : Duration.forever
        state = Locked(RateState(interval: interval, lead: lead))
        sharing = nil
    }

    /// Creates a limiter whose requests several processes count together.
    package init(sharing: any RateSharing) {
        state = Locked(RateState(interval: .seconds(1), lead: .zero))
        self.sharing = sharing
        problem = sharing.problem
    }

    /// How many calls wait for their turn.
    package var callsWaiting: Int { state.withLock { $0.waiting } }

    /// Takes the next turn, if it comes before the deadline.
    ///
    /// - Returns: The turn, and who is to wait for it where it has not come.
    package func reserve(at now: Duration, before deadline: Duration?) -> (RateState<Caller>.Turn, Caller?) {
        state.withLock { state in
            var made: Caller?
            let turn = state.reserve(at: now, before: deadline) {
                let caller = Caller()
                made = caller
                return caller
            }
            return (turn, made)
        }
    }

    /// Waits for the turn of a caller.
    ///
    /// - Parameters:
    ///   - caller: Who waits.
    ///   - turn: Its turn, where nobody is before it.
    ///   - clock: The time.
    /// - Throws: `CancellationError`; the turn is another's then.
    func wait(_ caller: Caller, until turn: Duration?, on clock: CallClock) async throws {
        do {
            let turn = if let turn { turn } else { try await caller.value() }
            try await clock.sleep(until: turn)
            // Cancelled as its turn came: the next one has it.
            try Task.checkCancellation()
        } catch {
            call(state.withLock { $0.leave(caller) })
            throw error
        }
        call(state.withLock { $0.pass(caller) })
    }

    private func call(_ next: RateState<Caller>.Call?) {
        // One that gave up at the same moment leaves, and calls the one behind it.
        if let next { next.caller.resume(.success(next.turn)) }
    }
}
