import CoreNetKitSystem

/// The rules of a rate: when the next request may be sent, and who waits for that.
///
/// Only the first of those who wait has a time; when it goes, or leaves, that is the turn of the one behind it. So
/// nobody waits for a turn that is not used. A plain value, as `LimiterState` is.
package struct RateState<Caller: Hashable & Sendable>: Sendable {
    package enum Turn: Equatable {
        case now
        /// To wait: for that time where nobody is before it, else until it is called.
        case at(Duration, isFirst: Bool)
        /// The turn would come too late.
        case never(wait: Duration)
    }

    /// The next one, and when it may go.
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
    private var line = WaitingLine<Caller>()

    package init(interval: Duration, lead: Duration) {
        self.interval = interval
        self.lead = lead
    }

    package var waiting: Int { line.count }

    /// Takes the next turn, if it comes before the deadline; a caller is only made for one that must wait.
    package mutating func reserve(
        at now: Duration,
        before deadline: Duration?,
        _ caller: () -> Caller
    ) -> Turn {
        let full = line.isEmpty ? max(fullTime ?? now, now) : fullTime ?? now
        let turn = full - lead + interval * line.count
        if turn <= now, line.isEmpty {
            fullTime = full + interval
            return .now
        }
        if turn > now, let deadline, turn >= deadline { return .never(wait: turn - now) }
        line.append(caller())
        return .at(turn, isFirst: line.count == 1)
    }

    /// The first one goes.
    ///
    /// - Returns: Who is to be called.
    package mutating func pass(_ caller: Caller) -> Call? {
        guard line.first == caller, let full = fullTime else { return leave(caller) }
        fullTime = full + interval
        return leave(caller)
    }

    /// Somebody stops to wait; who is not in the line changes nothing.
    ///
    /// - Returns: Who is to be called.
    package mutating func leave(_ caller: Caller) -> Call? {
        let wasFirst = line.first == caller
        guard line.remove(caller), wasFirst, let next = line.first, let full = fullTime else { return nil }
        return Call(caller: next, turn: full - lead)
    }
}
