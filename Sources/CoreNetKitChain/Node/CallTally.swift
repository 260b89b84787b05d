import CoreNetKitHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What counters need to know of a call, collected while it runs; replaces the record if there is no other listener.
///
/// It keeps what ``CallFigures`` would find in the notes of a record; nothing else is noted, created or read for it. It
/// is the call's own object, and counters read the figures in place: an allocation or a copy would cost more than the
/// counting.
///
/// `@unchecked Sendable`: mutable state is accessed only between lock and unlock.
final class CallTally: RequestContext.Call, @unchecked Sendable {
    private let counters: [any CallCounter]
    @exclusivity(unchecked) private var figures: CallFigures
    @exclusivity(unchecked) private var branches = CallBranches()
    /// The last exchange that was started.
    @exclusivity(unchecked) private var attempt: Int16 = 0
    @exclusivity(unchecked) private var isAttemptOpen = false
    @exclusivity(unchecked) private var isOver = false
    @exclusivity(unchecked) private var exchanges: Int32 = 0
    @exclusivity(unchecked) private var openExchanges: Int32 = 0
    /// A lock of this object alone, which never moves.
    @exclusivity(unchecked) private var mutex = pthread_mutex_t()

    init(
        id: UInt64,
        clock: CallClock,
        user: CallUser,
        secrets: SecretRules,
        counters: [any CallCounter],
        template: String?
    ) {
        self.counters = counters
        figures = CallFigures(template: template)
        super.init(id: id, clock: clock, recording: nil, user: user, secrets: secrets)
        pthread_mutex_init(&mutex, nil)
    }

    deinit { pthread_mutex_destroy(&mutex) }

    @inline(__always)
    private func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        return body()
    }

    /// Takes an event that counters need; events after the call are ignored.
    func note(_ kind: CallEvent.Kind, at place: CallEvent.Place) {
        let time = clock.nanoseconds
        withLock {
            guard !isOver else { return }
            switch kind {
            case .attemptStarted: (attempt, isAttemptOpen) = (Int16(clamping: place.attempt), true)
            case .attemptEnded: isAttemptOpen = false
            case .redirectDecided(let decision):
                _ = branches[place].redirect(decision.isFollowed, in: place.attempt)
            default: figures.take(kind, at: time, place)
            }
        }
    }

    /// A request is sent: returns its number in the call, 0 if nothing is sent any more.
    func beginExchange(_ request: TransportRequest, at place: CallEvent.Place) -> Int {
        let time = clock.nanoseconds
        let url = request.urlText
        return withLock {
            let isLost = attempt > 0 && (!isAttemptOpen || place.attempt < attempt)
            guard !isOver, !isLost else { return 0 }
            exchanges += 1
            openExchanges += 1
            var place = place
            place.exchange = Int(exchanges)
            let (cause, _) = branches[place].send(place)
            figures.begin(request.method, url, cause, at: time, place.exchange)
            return place.exchange
        }
    }

    /// Takes the head of a response; content that was delivered as a whole ends the exchange.
    func receive(_ response: TransportResponse, isStream: Bool, at place: CallEvent.Place) {
        guard place.exchange > 0 else { return }
        let (time, status, version) = (clock.nanoseconds, response.status, response.httpVersion)
        withLock {
            figures.receive(status, version, in: place.exchange, at: time)
            if !isStream { closeExchange() }
        }
    }

    /// An exchange had no response, or its content is over.
    func endExchange(_ end: CallEvent.ExchangeEnd, timings: TransportTimings?, at place: CallEvent.Place) {
        guard place.exchange > 0 else { return }
        let time = clock.nanoseconds
        withLock {
            if let timings { figures.take(.phases(timings), at: time, place) }
            figures.take(.exchangeEnded(end), at: time, place)
            closeExchange()
        }
    }

    /// The call is over for its caller; it is counted when no exchange is open.
    func finish(_ outcome: CallFigures.Outcome) {
        withLock {
            guard !isOver else { return }
            isOver = true
            if !figures.isPlain { figures.closeWaits(at: clock.nanoseconds) }
            figures.outcome = outcome
            if openExchanges == 0 { count() }
        }
    }

    /// Counts one exchange less; after the last one of a finished call, the call is counted.
    private func closeExchange() {
        openExchanges -= 1
        if isOver, openExchanges == 0 { count() }
    }

    private func count() {
        for index in counters.indices { counters[index].count(&figures) }
    }
}
