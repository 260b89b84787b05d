import CoreNetKitHTTP
import CoreNetKitSystem
import Synchronization

/// Collects the statistics of a call for counters while it runs; replaces the record if there are only counters.
///
/// It is the call's own object, which counters read in place: a copy would cost more than the counting.
///
/// `@unchecked Sendable`: mutable state is accessed only between lock and unlock.
final class CountedCall: RequestContext.Call, @unchecked Sendable {
    private let counter: any CallCounter
    /// The other counters; `nil` if there is only one, as usual.
    private let others: ArraySlice<any CallCounter>?
    @exclusivity(unchecked) private var statistics: CallStatistics
    @exclusivity(unchecked) private var open = OpenParts()
    @exclusivity(unchecked) private var isOver = false
    /// A spin lock: it is held briefly, and only parallel requests of one call contend for it.
    private let isTaken = Atomic<Bool>(false)

    init(
        clock: CallClock,
        user: CallUser,
        secrets: SecretRules,
        counter: any CallCounter,
        others: ArraySlice<any CallCounter>?,
        template: String?
    ) {
        (self.counter, self.others) = (counter, others)
        statistics = CallStatistics(template: template)
        super.init(clock: clock, user: user, secrets: secrets)
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

    /// Takes an event for the counters; events after the call are ignored.
    func note(_ kind: CallEvent.Kind, at location: CallEvent.Location) {
        let time = clock.nanoseconds
        withLock {
            guard !isOver || open.holds > 0 else { return }
            switch kind {
            case .attemptStarted: open.beginAttempt(location)
            case .attemptEnded: open.endAttempt()
            case .redirectDecided(let decision): _ = open.redirect(decision.isFollowed, at: location)
            default: if !isOver { statistics.take(kind, at: time, location) }
            }
        }
    }

    /// Registers a request; returns its number in the call, 0 if nothing is sent any more.
    func beginExchange(_ request: TransportRequest, at location: CallEvent.Location) -> Int {
        let time = clock.nanoseconds
        let endpoint = request.endpoint
        let url = endpoint?.logical ?? request.urlText
        // Compared in place: passing the text would retain it.
        let method = request.isGet ? CallStatistics.Method.get : CallStatistics.Method(request.method)
        // Without a closure, which would copy the text instead of moving it.
        lock()
        defer { unlock() }
        var location = location
        guard let (cause, _) = open.beginExchange(at: &location, isOver: isOver) else { return 0 }
        statistics.begin(method, url, cause, at: time, location.exchange, endpoint)
        return location.exchange
    }

    /// Takes the head of a response; content that was delivered as a whole ends the exchange.
    func receive(_ response: TransportResponse, isStream: Bool, at location: CallEvent.Location) {
        guard location.exchange > 0 else { return }
        let (time, status) = (clock.nanoseconds, response.status)
        let version = response.isHTTP11 ? CallStatistics.Version.v11 : CallStatistics.Version(response.httpVersion)
        let isLast = withLock {
            statistics.receive(status, version, in: location.exchange, at: time)
            return !isStream && closesExchange()
        }
        if isLast { count() }
    }

    func endExchange(_ end: CallEvent.ExchangeEnd, timings: TransportTimings?, at location: CallEvent.Location) {
        guard location.exchange > 0 else { return }
        let time = clock.nanoseconds
        let isLast = withLock {
            if let timings { statistics.take(.phases(timings), at: time, location) }
            statistics.take(.exchangeEnded(end), at: time, location)
            return closesExchange()
        }
        if isLast { count() }
    }

    /// Ends the call for its caller; it is counted when no exchange is open.
    func finish(_ outcome: CallStatistics.Outcome) {
        let isLast = withLock {
            guard !isOver else { return false }
            isOver = true
            if !statistics.isPlain { statistics.closeWaits(at: clock.nanoseconds) }
            statistics.outcome = outcome
            return isComplete
        }
        if isLast { count() }
    }

    /// Begins work that other calls may share: the call is counted after ``release()``, including the requests of that work.
    func hold() { withLock { open.holds += 1 } }

    func release() {
        let isLast = withLock {
            open.holds -= 1
            return isComplete
        }
        if isLast { count() }
    }

    /// Whether no event can follow: then the statistics no longer change, and need no lock.
    private var isComplete: Bool { isOver && open.areAllEnded }

    /// Closes one exchange; returns whether it was the last one of a finished call.
    private func closesExchange() -> Bool {
        open.exchanges -= 1
        return isComplete
    }

    private func count() {
        counter.count(&statistics)
        guard let others else { return }
        for counter in others { counter.count(&statistics) }
    }
}
