/// The parts of a call that have begun and not yet ended, of one that is recorded and of one that is only counted.
struct OpenParts: Sendable {
    /// The number of the last attempt that was started.
    private(set) var attempt = 0
    private(set) var isInAttempt = false
    var waits: Int16 = 0
    /// Work that may outlive the call, because other calls wait for it too.
    var holds: Int32 = 0
    /// The number of requests that have not ended.
    var exchanges: Int32 = 0
    /// The number of requests that were sent.
    private var sent: Int32 = 0
    private var main = Branch()
    private var hedged = Branch()

    /// Whether no event can follow once the call has ended.
    var areAllEnded: Bool { exchanges == 0 && holds == 0 }

    mutating func beginAttempt(_ location: CallEvent.Location) { (attempt, isInAttempt) = (location.attempt, true) }

    mutating func endAttempt() { isInAttempt = false }

    /// Registers a request, and numbers it; `nil` if it has lost, because the call is over or the attempt has ended.
    ///
    /// Returns its cause, and the number of redirects that led to it.
    mutating func beginExchange(
        at location: inout CallEvent.Location,
        isOver: Bool
    ) -> (CallEvent.ExchangeCause, hop: Int16)? {
        let isLost = attempt > 0 && (!isInAttempt || location.attempt < attempt)
        guard !isOver || holds > 0, !isLost else { return nil }
        sent += 1
        exchanges += 1
        location.exchange = Int(sent)
        return location.branch > 0 ? hedged.send(location) : main.send(location)
    }

    /// Registers the decision about the last response of an attempt; returns the number of its exchange.
    mutating func redirect(_ isFollowed: Bool, at location: CallEvent.Location) -> Int {
        location.branch > 0
            ? hedged.redirect(isFollowed, in: location.attempt) : main.redirect(isFollowed, in: location.attempt)
    }

    /// The last event of one of an attempt's parallel requests: it gives the cause of the next request.
    private struct Branch: Sendable {
        private var attempt = 0
        private var exchange = 0
        private var hop: Int16 = 0
        private var isRedirected = false

        mutating func send(_ location: CallEvent.Location) -> (CallEvent.ExchangeCause, hop: Int16) {
            let isFollowing = exchange > 0 && attempt == location.attempt
            hop = isFollowing ? hop &+ (isRedirected ? 1 : 0) : 0
            defer { (attempt, exchange, isRedirected) = (location.attempt, location.exchange, false) }
            if isFollowing { return (isRedirected ? .redirect : .again, hop) }
            return (location.branch > 0 ? .hedge : location.attempt > 1 ? .retry : .first, 0)
        }

        mutating func redirect(_ isFollowed: Bool, in attempt: Int) -> Int {
            guard self.attempt == attempt else { return 0 }
            isRedirected = isFollowed
            return exchange
        }
    }
}
