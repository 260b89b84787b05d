import CoreNetKitChain
import CoreNetKitHTTP
package import CoreNetKitSystem

/// Limits how many requests are sent per interval: a token bucket.
///
/// Create one for each server with such a limit and pass it to a ``Client`` or to builders. Every attempt counts, as the
/// server counts it. A call whose turn comes after its deadline fails at once with `rateLimited`; if a call is cancelled
/// while it waits, its turn goes to the next call.
public final class RateLimiter: Sendable {
    package typealias Caller = Waiter<Duration>

    private let state: Locked<RateState<Caller>>
    /// The counter that several processes share; `nil` if only this process counts.
    let sharing: (any RateSharing)?
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public let problem: String?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - count: The number of requests per period, above zero.
    ///   - period: The length of the period, above zero.
    ///   - burst: How many requests may be sent at once after a pause, above zero; with 1 they are evenly spaced, and
    ///     no period has more than `count`.
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
        let ahead = max(1, burst) - 1
        let seconds = interval / .seconds(1) * Double(ahead)
        let lead = seconds < Duration.forever / .seconds(1) ? interval * ahead : Duration.forever
        state = Locked(RateState(interval: interval, lead: lead))
        sharing = nil
    }

    /// Creates a limiter for a rate that several processes share.
    package init(sharing: any RateSharing) {
        state = Locked(RateState(interval: .seconds(1), lead: .zero))
        self.sharing = sharing
        problem = sharing.problem
    }

    /// The number of calls that wait for their turn.
    package var callsWaiting: Int { state.withLock { $0.waiting } }

    /// Takes the next turn, if it comes before the deadline.
    ///
    /// - Returns: The turn, and a waiter if it has not come yet.
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
    ///   - caller: The waiting caller.
    ///   - turn: The time of its turn, if it is first in line.
    ///   - clock: The clock of the turn.
    /// - Throws: `CancellationError`; the turn then goes to another call.
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
