import CoreNetKitHTTP
import CoreNetKitSystem

/// What counters want of a call, taken down while it runs; where nobody else listens, in place of its record.
///
/// It keeps what ``CallFigures`` would find in the notes of a record, and nothing else is noted, made or read for it.
package struct CallTally: Sendable {
    private struct State: Sendable {
        var figures: CallFigures
        var branches = CallBranches()
        /// The last one that was started.
        var attempt: Int16 = 0
        var isAttemptOpen = false
        var isOver = false
        var exchanges: Int32 = 0
        var openExchanges: Int32 = 0

        /// One exchange less; the last one of a call that is over gives the figures away.
        mutating func closeExchange() -> CallFigures? {
            openExchanges -= 1
            return isOver && openExchanges == 0 ? figures : nil
        }
    }

    private let feeds: [CallFeed]
    private let clock: CallClock
    private let state: Locked<State>

    init(_ feeds: [CallFeed], clock: CallClock, template: String?) {
        self.feeds = feeds
        self.clock = clock
        state = Locked(State(figures: CallFigures(template: template)))
    }

    /// Takes an event that counters ask for; what comes after the call is left out.
    func note(_ kind: CallEvent.Kind, at place: CallEvent.Place) {
        let time = clock.nanoseconds
        state.withLock { state in
            guard !state.isOver else { return }
            switch kind {
            case .attemptStarted: (state.attempt, state.isAttemptOpen) = (Int16(clamping: place.attempt), true)
            case .attemptEnded: state.isAttemptOpen = false
            case .redirectDecided(let decision):
                _ = state.branches[place].redirect(decision.isFollowed, in: place.attempt)
            default: state.figures.take(kind, at: time, place)
            }
        }
    }

    /// A request goes to the wire: gives its number in the call, 0 where nothing is sent any more.
    func beginExchange(_ request: TransportRequest, at place: CallEvent.Place) -> Int {
        let time = clock.nanoseconds
        return state.withLock { state in
            let isLost = state.attempt > 0 && (!state.isAttemptOpen || place.attempt < state.attempt)
            guard !state.isOver, !isLost else { return 0 }
            state.exchanges += 1
            state.openExchanges += 1
            var place = place
            place.exchange = Int(state.exchanges)
            let (cause, _) = state.branches[place].send(place)
            state.figures.begin(request.method, request.url, cause, at: time, place)
            return place.exchange
        }
    }

    /// Takes the head of a response; a content that was handed over whole ends the exchange.
    func receive(_ response: TransportResponse, at place: CallEvent.Place) {
        guard place.exchange > 0 else { return }
        let time = clock.nanoseconds
        let figures = state.withLock { state in
            state.figures.receive(response.lateHead, in: place.exchange, at: time)
            return response.bodyState.isStream ? nil : state.closeExchange()
        }
        if let figures { count(figures) }
    }

    /// An exchange had no response, or its content is over.
    func endExchange(_ end: CallEvent.ExchangeEnd, timings: TransportTimings?, at place: CallEvent.Place) {
        guard place.exchange > 0 else { return }
        let time = clock.nanoseconds
        let figures = state.withLock { state in
            if let timings { state.figures.take(.phases(timings), at: time, place) }
            state.figures.take(.exchangeEnded(end), at: time, place)
            return state.closeExchange()
        }
        if let figures { count(figures) }
    }

    /// The call is over for its caller; it is counted when no exchange is open any more.
    func finish(_ end: CallRecording.End) {
        let figures = state.withLock { state -> CallFigures? in
            guard !state.isOver else { return nil }
            state.isOver = true
            if state.figures.hasWaits { state.figures.closeWaits(at: clock.nanoseconds) }
            state.figures.outcome =
                switch end {
                case .completed: .completed
                case .failed: .failed
                case .cancelled: .cancelled
                }
            return state.openExchanges == 0 ? state.figures : nil
        }
        if let figures { count(figures) }
    }

    private func count(_ figures: CallFigures) {
        for feed in feeds { feed.count(figures) }
    }
}
