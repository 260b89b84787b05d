package import CoreNetKitChain
import CoreNetKitSystem

/// Limits the repetitions of all calls of a client together, so that an outage does not multiply requests.
///
/// In each second, the number of repetitions is at most `floor` plus a share of the calls that begin in that time; a
/// failure is final at once if the second of its repetition is full. Hedged requests count as repetitions. Time is
/// measured on the clock of the client that owns the budget.
public final class RetryBudget: Sendable {
    private let ratio: Double
    private let floor: Int
    /// The calls, and the number of repetitions in each second.
    private let state = Locked((counts: RollingCounts(over: .seconds(1)), reserved: [Int64: Int]()))
    package let settingsProblem: String?

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - ratio: The share of calls that may be repeated, 0 to 1.
    ///   - floor: The number of repetitions per second that are always allowed; not below zero.
    public init(ratio: Double = 0.2, floor: Int = 10) {
        (self.ratio, self.floor) = (ratio, floor)
        if !(0...1).contains(ratio) {
            settingsProblem = "the retry budget's ratio of \(ratio) is not between 0 and 1"
        } else {
            settingsProblem = floor < 0 ? "the retry budget's floor of \(floor) is below zero" : nil
        }
    }

    /// The number of seconds with recorded repetitions.
    package var secondsKept: Int { state.withLock { $0.reserved.count } }

    package func deposit(at now: Duration) { state.withLock { $0.counts.add(at: now) } }

    /// Reserves a repetition for a time from now on, if one is left.
    package func withdraw(at now: Duration, for time: Duration) -> Bool {
        let second = time.wholeSeconds
        return state.withLock { state in
            state.counts.advance(to: now)
            let taken = state.reserved[second, default: 0]
            guard Double(taken + 1) <= Double(floor) + ratio * Double(state.counts.calls) else { return false }
            if taken == 0 {
                let current = now.wholeSeconds
                state.reserved = state.reserved.filter { $0.key >= current }
            }
            state.reserved[second] = taken + 1
            return true
        }
    }
}

extension RetryBudget: BuiltInPolicy {
    /// No position: it only counts for retry and hedging.
    package var nodePositions: [ChainPosition] { [] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        next
    }
}

extension ChainParts {
    /// The budget that was set, or the default that a client and its copies share.
    package var retryBudget: RetryBudget {
        policy(RetryBudget.self) ?? shared.object(RetryBudget.self) { RetryBudget() }
    }
}
