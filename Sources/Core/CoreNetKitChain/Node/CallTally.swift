import CoreNetKitHTTP
import Synchronization

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
    private let counter: any CallCounter
    /// `nil` where there is only one, as nearly everywhere.
    private let others: ArraySlice<any CallCounter>?
    @exclusivity(unchecked) private var figures: CallFigures
    @exclusivity(unchecked) private var branches = CallBranches()
    /// The last exchange that was started.
    @exclusivity(unchecked) private var attempt: Int16 = 0
    @exclusivity(unchecked) private var isAttemptOpen = false
    @exclusivity(unchecked) private var isOver = false
    @exclusivity(unchecked) private var exchanges: Int32 = 0
    @exclusivity(unchecked) private var openExchanges: Int32 = 0
    /// Work that may outlive the call, because other calls wait for it too.
    @exclusivity(unchecked) private var holds: Int32 = 0
    /// A lock of this object alone, at which only parallel requests of one call meet.
    ///
    /// Each holds it for some hundred instructions; a mutex would be a tenth of all that counting costs a plain call.
    private let isTaken = Atomic<Bool>(false)

    init(
        id: UInt64,
        clock: CallClock,
        user: CallUser,
        secrets: SecretRules,
        counter: any CallCounter,
        others: ArraySlice<any CallCounter>?,
        template: String?
    ) {
        (self.counter, self.others) = (counter, others)
        figures = CallFigures(template: template)
        super.init(id: id, clock: clock, recording: nil, user: user, secrets: secrets)
    }

    @inline(__always)
    private func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }

    @inline(__always)
    private func lock() {
        while isTaken.exchange(true, ordering: .acquiring) { sched_yield() }
    }

    @inline(__always)
    private func unlock() { isTaken.store(false, ordering: .releasing) }

    /// Takes an event that counters need; events after the call are ignored.
    func note(_ kind: CallEvent.Kind, at place: CallEvent.Place) {
        let time = clock.nanoseconds
        withLock {
            guard !isOver || holds > 0 else { return }
            switch kind {
            case .attemptStarted: (attempt, isAttemptOpen) = (Int16(clamping: place.attempt), true)
            case .attemptEnded: isAttemptOpen = false
            case .redirectDecided(let decision):
                _ = branches[place].redirect(decision.isFollowed, in: place.attempt)
            default: if !isOver { figures.take(kind, at: time, place) }
            }
        }
    }

    /// A request is sent: returns its number in the call, 0 if nothing is sent any more.
    func beginExchange(_ request: TransportRequest, at place: CallEvent.Place) -> Int {
        let time = clock.nanoseconds
        let url = request.urlText
        // Read in place, as the version is: a text that is passed on is counted.
        let method = request.isGet ? CallFigures.Method.get : CallFigures.Method(request.method)
        // Without a closure, which would not hand over the text but copy it.
        lock()
        defer { unlock() }
        let isLost = attempt > 0 && (!isAttemptOpen || place.attempt < attempt)
        guard !isOver || holds > 0, !isLost else { return 0 }
        exchanges += 1
        openExchanges += 1
        var place = place
        place.exchange = Int(exchanges)
        let (cause, _) = branches[place].send(place)
        figures.begin(method, url, cause, at: time, place.exchange)
        return place.exchange
    }

    /// Takes the head of a response; content that was delivered as a whole ends the exchange.
    func receive(_ response: TransportResponse, isStream: Bool, at place: CallEvent.Place) {
        guard place.exchange > 0 else { return }
        let (time, status) = (clock.nanoseconds, response.status)
        let version = response.isHTTP11 ? CallFigures.Version.v11 : CallFigures.Version(response.httpVersion)
        let isLast = withLock {
            figures.receive(status, version, in: place.exchange, at: time)
            return !isStream && closesExchange()
        }
        if isLast { count() }
    }

    /// An exchange had no response, or its content is over.
    func endExchange(_ end: CallEvent.ExchangeEnd, timings: TransportTimings?, at place: CallEvent.Place) {
        guard place.exchange > 0 else { return }
        let time = clock.nanoseconds
        let isLast = withLock {
            if let timings { figures.take(.phases(timings), at: time, place) }
            figures.take(.exchangeEnded(end), at: time, place)
            return closesExchange()
        }
        if isLast { count() }
    }

    /// The call is over for its caller; it is counted when no exchange is open.
    func finish(_ outcome: CallFigures.Outcome) {
        let isLast = withLock {
            guard !isOver else { return false }
            isOver = true
            if !figures.isPlain { figures.closeWaits(at: clock.nanoseconds) }
            figures.outcome = outcome
            return isComplete
        }
        if isLast { count() }
    }

    /// Begins work that other calls may share: the call is counted after ``release()``, with what that work sends.
    func hold() { withLock { holds += 1 } }

    /// The shared work is over.
    func release() {
        let isLast = withLock {
            holds -= 1
            return isComplete
        }
        if isLast { count() }
    }

    /// Whether nothing more can come: then the figures no longer change, and need no lock.
    private var isComplete: Bool { isOver && openExchanges == 0 && holds == 0 }

    /// Counts one exchange less, and tells whether it was the last one of a finished call.
    private func closesExchange() -> Bool {
        openExchanges -= 1
        return isComplete
    }

    private func count() {
        counter.count(&figures)
        guard let others else { return }
        for counter in others { counter.count(&figures) }
    }
}
