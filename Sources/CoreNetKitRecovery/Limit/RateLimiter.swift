import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// How many requests may be sent in a stretch of time: a token bucket.
///
/// Make one for each server that has such a limit and give it to a ``Client`` or to builders. Every attempt counts, as
/// the server counts it. Who cannot be sent within its deadline fails at once with `rateLimited`.
public final class RateLimiter: Sendable {
    package enum Turn: Equatable {
        case now
        case at(Duration)
        /// The turn would come too late.
        case never(wait: Duration)
    }

    /// More than any program waits: a rate that cannot be counted is treated as this slow.
    private static let longest = Duration.seconds(Int64(1) << 40)

    private let interval: Duration
    /// How much earlier than evenly spaced a request may be sent.
    private let lead: Duration
    /// When the bucket is full again.
    private let fullTime = Locked<Duration?>(nil)
    /// What is wrong with the settings, on one line; every call then fails with `invalidChain`.
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
        interval = problem == nil ? min(period, Self.longest) / count : .seconds(1)
        // Compared in seconds: the product of two large numbers would not fit.
        let seconds = interval / .seconds(1) * Double(max(0, burst - 1))
        lead = seconds < Self.longest / .seconds(1) ? interval * max(0, burst - 1) : Self.longest
    }

    /// Takes the next turn, if it comes before the deadline.
    package func reserve(at now: Duration, before deadline: Duration?) -> Turn {
        fullTime.withLock { fullTime in
            let full = max(fullTime ?? now, now)
            let turn = full - lead
            if turn > now, let deadline, turn >= deadline { return .never(wait: turn - now) }
            fullTime = full + interval
            return turn <= now ? .now : .at(turn)
        }
    }

    /// Gives a turn back that is not used; only the last one is of use to others.
    package func giveBack(_ turn: Duration) {
        fullTime.withLock { fullTime in
            if fullTime == turn + lead + interval { fullTime = turn + lead }
        }
    }
}
