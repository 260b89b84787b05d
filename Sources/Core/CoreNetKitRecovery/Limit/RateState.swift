import CoreNetKitSystem

/// The rules of a rate: when the next request may be sent, and which calls wait.
///
/// Only the first waiting call has a time; when it proceeds or leaves, the next call gets the next turn. So no call waits
/// for an unused turn. A plain value, like `LimiterState`.
package struct RateState<Caller: Hashable & Sendable>: Sendable {
    package enum Turn: Equatable {
        case now
        /// The call has to wait: until that time if it is first in line, otherwise until it is woken.
        case at(Duration, isFirst: Bool)
        /// The turn would come too late.
        case never(wait: Duration)
    }

    /// The next call, and when it may proceed.
    package struct Call: Equatable {
        package let caller: Caller
        package let turn: Duration

        package init(caller: Caller, turn: Duration) {
            self.caller = caller
            self.turn = turn
        }
    }

    private let interval: Duration
    /// How much earlier than evenly spaced a request may be sent.
    private let lead: Duration
    /// When the bucket is full again.
    private var fullTime: Duration?
    private var queue = WaitQueue<Caller>()

    package init(interval: Duration, lead: Duration) {
        self.interval = interval
        self.lead = lead
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
        queue.append(caller())
        return .at(turn, isFirst: queue.count == 1)
    }

    /// Lets the first call proceed.
    ///
    /// - Returns: The waiter to wake.
    package mutating func pass(_ caller: Caller) -> Call? {
        guard queue.first == caller, let full = fullTime else { return leave(caller) }
        fullTime = full + interval
        return leave(caller)
    }

    /// Removes a call that stops waiting; an unknown one changes nothing.
    ///
    /// - Returns: The waiter to wake.
    package mutating func leave(_ caller: Caller) -> Call? {
        let wasFirst = queue.first == caller
        guard queue.remove(caller), wasFirst, let next = queue.first, let full = fullTime else { return nil }
        return Call(caller: next, turn: full - lead)
    }
}
