import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// How many repetitions all calls of a client may make together, so that an outage is not multiplied.
///
/// In each second `floor` repetitions are sent and a share of the calls that begin in a second, no more; a failure that
/// finds no place in the second of its repetition is final at once. Hedged requests count as repetitions. Time goes by
/// the clock of the client that owns the budget.
public final class RetryBudget: Sendable {
    private struct State: Sendable {
        var calls = RollingCounts(over: .seconds(1))
        /// How many repetitions will be sent in which second.
        var reserved: [Int64: Int] = [:]
    }

    private let ratio: Double
    private let floor: Int
    private let state = Locked(State())
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public let problem: String?

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - ratio: The share of calls that may be repeated, 0 to 1.
    ///   - floor: How many repetitions a second are always allowed; not below zero.
    public init(ratio: Double = 0.2, floor: Int = 10) {
        self.ratio = ratio
        self.floor = floor
        if !(0...1).contains(ratio) {
            problem = "the retry budget's ratio of \(ratio) is not between 0 and 1"
        } else {
            problem = floor < 0 ? "the retry budget's floor of \(floor) is below zero" : nil
        }
    }

    /// For how many seconds it keeps what it gave out.
    package var secondsKept: Int { state.withLock { $0.reserved.count } }

    /// Counts a call that begins.
    func deposit(at now: Duration) {
        state.withLock { $0.calls.addFirst(at: now) }
    }

    /// Takes a repetition that will be sent at a time from now on, if there is one left.
    package func withdraw(at now: Duration, for time: Duration) -> Bool {
        let second = time.wholeSeconds
        return state.withLock { state in
            state.calls.move(to: now)
            let taken = state.reserved[second, default: 0]
            guard Double(taken + 1) <= Double(floor) + ratio * Double(state.calls.firstSum) else { return false }
            if taken == 0 {
                let current = now.wholeSeconds
                state.reserved = state.reserved.filter { $0.key >= current }
            }
            state.reserved[second] = taken + 1
            return true
        }
    }
}
