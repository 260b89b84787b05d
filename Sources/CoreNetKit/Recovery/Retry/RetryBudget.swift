import CoreNetKitTransport

/// How many repetitions all calls of a client may make together, so that an outage is not multiplied.
///
/// In any second there may be `floor` repetitions and a share of the calls that began in that second. Hedged requests
/// count as repetitions. Time goes by the clock of the client that owns the budget.
public final class RetryBudget: Sendable {
    private let ratio: Double
    private let floor: Int
    private let counts = Locked(RollingCounts(over: .seconds(1)))
    let problem: String?

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

    /// Counts a call that begins.
    func deposit(at now: Duration) {
        counts.withLock { $0.addFirst(at: now) }
    }

    /// Takes a repetition, if there is one left.
    func withdraw(at now: Duration) -> Bool {
        counts.withLock { counts in
            counts.move(to: now)
            guard Double(counts.secondSum + 1) <= Double(floor) + ratio * Double(counts.firstSum) else { return false }
            counts.addSecond(at: now)
            return true
        }
    }
}
