/// The last event of each parallel request of an attempt: it gives the cause of the next request.
struct CallBranches: Sendable {
    /// One of the parallel requests.
    struct Branch: Sendable {
        private var attempt: Int16 = 0
        private var exchange: Int16 = 0
        private var hop: Int16 = 0
        private var isRedirected = false

        /// Registers a request; returns its cause, and the number of redirects that led to it.
        mutating func send(_ location: CallEvent.Location) -> (CallEvent.ExchangeCause, hop: Int16) {
            let isFollowing = exchange > 0 && attempt == location.attempt
            hop = isFollowing ? hop &+ (isRedirected ? 1 : 0) : 0
            defer {
                attempt = Int16(clamping: location.attempt)
                exchange = Int16(clamping: location.exchange)
                isRedirected = false
            }
            if isFollowing { return (isRedirected ? .redirect : .again, hop) }
            return (location.branch > 0 ? .hedge : location.attempt > 1 ? .retry : .first, 0)
        }

        /// Registers the decision about the last response; returns the number of its exchange.
        mutating func redirect(_ isFollowed: Bool, in attempt: Int) -> Int {
            guard self.attempt == attempt else { return 0 }
            isRedirected = isFollowed
            return Int(exchange)
        }
    }

    private var main = Branch()
    private var hedged = Branch()

    subscript(location: CallEvent.Location) -> Branch {
        get { location.branch > 0 ? hedged : main }
        _modify {
            if location.branch > 0 { yield &hedged } else { yield &main }
        }
    }
}
