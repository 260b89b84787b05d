#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import CoreNetKitSystem

/// The record of one call while it runs: nodes note events, the end turns it into a ``CallRecord``.
///
/// Events are kept as they are noted; secrets are left out when the record is frozen, off the path of the call. Whatever
/// is still open at the end of the call is closed here, so that each start has exactly one end. An exchange whose
/// content is read after the call keeps the record open until it has ended too.
package struct CallRecording: Sendable {
    /// Who listens to the calls of a chain, and what is kept for them.
    package struct Options: Sendable {
        package var feeds: [CallFeed]
        /// Lines of nodes below this level are not even made.
        package var lineLevel: LogLevel
        /// Whether the contents of requests and responses are kept for the record.
        package var keepsBodies: Bool

        package init(feeds: [CallFeed] = [], lineLevel: LogLevel = .info, keepsBodies: Bool = false) {
            self.feeds = feeds
            self.lineLevel = lineLevel
            self.keepsBodies = keepsBodies
        }
    }

    /// The end of a call as its chain sees it.
    package enum End: Sendable {
        case completed
        case failed(any Error)
        case cancelled
    }

    struct State: Sendable {
        let call: UInt64
        let options: Options
        let clock: CallClock
        let startedAt: Date
        let startedOn: Duration
        var chain: String?
        var template: String?
        var trace: TraceContext?
        var events: [CallEvent] = []
        var exchanges = 0
        var openExchanges = 0
        var openWaits = 0
        var isAttemptOpen = false
        var isLookupOpen = false
        var dropped = 0
        var end: (outcome: CallRecord.Outcome, duration: Duration)?
        var frozen: CallRecord?
    }

    /// Lines and progress beyond this many events are left out and counted; what makes the story whole never is.
    private static let mostEvents = 1000
    private static let reserved = 20

    let state: Locked<State>

    /// Begins the record of a call; `nil` when nobody listens.
    package init?(
        _ options: Options,
        call: UInt64,
        clock: CallClock,
        date: Date,
        deadline: Duration? = nil,
        chain: String? = nil,
        trace: TraceContext? = nil
    ) {
        guard !options.feeds.isEmpty else { return nil }
        let start = clock.now
        var state = State(call: call, options: options, clock: clock, startedAt: date, startedOn: start)
        state.chain = chain
        state.trace = trace
        state.events.reserveCapacity(Self.reserved)
        state.add(.callStarted(remaining: deadline.map { $0 - start }), .init())
        self.state = Locked(state)
    }

    /// Notes an event; one that has no place any more is left out.
    package func note(_ kind: CallEvent.Kind, at place: CallEvent.Place) {
        state.withLock { state in
            guard state.end == nil else { return }
            switch kind {
            case .line, .bodyProgress:
                guard state.events.count < Self.mostEvents else {
                    state.dropped += 1
                    return
                }
            case .waitStarted: state.openWaits += 1
            case .waitEnded: state.openWaits -= 1
            case .attemptStarted: state.isAttemptOpen = true
            case .attemptEnded: state.isAttemptOpen = false
            case .cacheLookup: state.isLookupOpen = true
            case .cacheOutcome: state.isLookupOpen = false
            default: break
            }
            state.add(kind, place)
        }
    }

    /// Whether a line of this level would be kept.
    package func takes(_ level: LogLevel) -> Bool { state.withLock { level >= $0.options.lineLevel } }

    /// Says which route and trace the call belongs to, where that turns out on the way.
    package func describe(template: String? = nil, trace: TraceContext? = nil) {
        state.withLock { state in
            if let template { state.template = template }
            if let trace { state.trace = trace }
        }
    }

    /// The call is over for its caller; the record follows, when no exchange is open any more.
    package func finish(_ end: End) {
        let feeds = state.withLock { state -> [CallFeed] in
            guard state.end == nil else { return [] }
            let outcome: CallRecord.Outcome
            switch end {
            case .completed: outcome = .completed
            case .failed(let error): outcome = .failed(.init(error))
            case .cancelled: outcome = .cancelled
            }
            state.closeOpenParts()
            state.add(.callEnded(outcome, open: state.openExchanges), .init())
            state.end = (outcome, state.events.last?.time ?? .zero)
            return state.openExchanges == 0 ? state.options.feeds : []
        }
        for feed in feeds { feed.deliver(self) }
    }

    /// The finished record, without secrets; made once, whoever asks first.
    package func frozen() -> CallRecord {
        if let frozen = state.withLock({ $0.frozen }) { return frozen }
        // Outside of the lock: this is the long part.
        let frozen = CallRecord(freezing: state.withLock { $0 })
        return state.withLock { state in
            if let earlier = state.frozen { return earlier }
            state.frozen = frozen
            state.events = []
            return frozen
        }
    }
}

extension CallRecording.State {
    mutating func add(_ kind: CallEvent.Kind, _ place: CallEvent.Place) {
        var place = place
        if place.exchange == 0, case .redirectDecided = kind {
            place.exchange = lastExchange(attempt: place.attempt, branch: place.branch)
        }
        let event = CallEvent(kind, at: (clock.now - startedOn).clampedNanoseconds, place)
        events.append(event)
        for feed in options.feeds where feed.isLive { feed.deliver(event, of: call) }
    }

    func lastExchange(attempt: Int, branch: Int) -> Int {
        for event in events.reversed() where event.attempt == attempt && event.branch == branch {
            if event.exchange > 0 { return event.exchange }
        }
        return 0
    }

    /// What a cancelled or lost branch has left open ends with the call.
    mutating func closeOpenParts() {
        if openWaits > 0 { closeWaits() }
        if isLookupOpen { add(.cacheOutcome(.init(.bypass, reason: "the call ended")), .init()) }
        if isAttemptOpen, let attempt = events.last(where: \.startsAttempt)?.attempt {
            add(.attemptEnded(.init(isCancelled: true)), .init(attempt: attempt))
        }
    }

    private mutating func closeWaits() {
        var open: [(kind: CallEvent.Wait.Kind, place: CallEvent.Place)] = []
        for event in events {
            switch event.kind {
            case .waitStarted(let wait): open.append((wait.kind, event.place))
            case .waitEnded(let kind, _):
                let index = open.lastIndex {
                    $0.kind == kind && $0.place.attempt == event.attempt && $0.place.branch == event.branch
                }
                if let index { open.remove(at: index) }
            default: break
            }
        }
        for (kind, place) in open.reversed() { add(.waitEnded(kind, .cancelled), place) }
        openWaits = 0
    }
}

extension CallEvent {
    fileprivate var startsAttempt: Bool {
        if case .attemptStarted = kind { true } else { false }
    }

    var place: Place { Place(attempt: attempt, branch: branch, exchange: exchange, depth: depth) }
}

extension Duration {
    /// The whole nanoseconds; what does not fit is as far as it goes.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, again) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || again ? (seconds < 0 ? .min : .max) : sum
    }
}
