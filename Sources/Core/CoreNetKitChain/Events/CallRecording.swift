package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The record of one call while it runs: nodes add events, and at the end it becomes a `CallRecord`.
///
/// Events are kept as recorded; secrets are removed when the record is frozen, off the path of the call. The end of the
/// call closes everything that is still open, so that each start has exactly one end. An exchange whose content is read
/// after the call keeps the record open until it has ended too, and so does work shared with other calls.
package struct CallRecording: Sendable {
    /// The listeners of a chain's calls, and the data to keep for them.
    package struct Options: Sendable {
        let feeds: [CallFeed]
        /// The lowest level of nodes' lines that are created.
        let lineLevel: LogLevel
        /// Whether the contents of requests and responses are kept for the record.
        let keepsBodies: Bool
        /// The number of content bytes that logs and errors show.
        var shownBytes = 0
        /// What is removed from the record.
        var secrets = SecretRules.standard

        /// The number of content bytes that the record keeps.
        var keptBytes: Int { keepsBodies ? CallEvent.contentLimit : shownBytes }

        package init(feeds: [CallFeed] = [], lineLevel: LogLevel = .info, keepsBodies: Bool = false) {
            (self.feeds, self.lineLevel, self.keepsBodies) = (feeds, lineLevel, keepsBodies)
        }
    }

    struct State: Sendable {
        let start: Start
        let options: Options
        let isLive: Bool
        var open = OpenParts()
        var dropped: Int32 = 0
        var notes: [CallNote] = []
        /// The size of contents and lines, which may be long.
        var textBytes = 0
        var trace: TraceContext?
        var link: TraceContext?
        var end: End?
        /// The finished record, once there is one: allocated separately, because a record is large and a running call has none.
        var frozen: [CallRecord] = []

        /// The values known when the call begins.
        struct Start: Sendable {
            let call: UInt64
            let template: String?
            let date: Date
            let clock: CallClock
            let nanoseconds: Int64

            /// The time since then; inlined to avoid a copy of the clock for each event.
            @inline(__always)
            var elapsed: Int64 { clock.nanoseconds &- nanoseconds }
        }

        typealias End = (outcome: CallRecord.Outcome, nanoseconds: Int64, index: Int, open: Int32)
    }

    /// The maximum number of events; lines and progress beyond it are dropped and counted, but events that make the record
    /// complete are never dropped.
    static let mostEvents = 1000
    private static let reserved = 20

    let state: Locked<State>

    /// Begins the record of a call; `nil` without listeners.
    package init?(
        _ options: Options,
        call: UInt64,
        clock: CallClock,
        date: Date,
        deadline: Duration? = nil,
        template: String? = nil,
        trace: TraceContext? = nil
    ) {
        guard !options.feeds.isEmpty else { return nil }
        let now = clock.nanoseconds
        var state = State(
            start: .init(
                call: call,
                template: template,
                date: date,
                clock: clock,
                nanoseconds: now
            ),
            options: options,
            isLive: options.feeds.contains(where: \.isLive)
        )
        state.trace = trace
        state.notes.reserveCapacity(Self.reserved)
        let remaining = deadline.map { $0.wholeNanoseconds &- now }
        state.add(CallNote(.callStarted(remaining: remaining), at: 0, .init()))
        self.state = Locked(state)
        for feed in options.feeds { feed.watcher?.begin(self, of: call) }
    }

    /// Records an event; after the end of the call, only requests of shared work are still recorded.
    package func note(_ kind: consuming CallEvent.Kind, at location: CallEvent.Location) {
        var content = CallNote.Content(kind)
        state.withLock { state in
            guard state.end == nil else { return state.follow(content, location) }
            var location = location
            switch content {
            case .line, .other(.bodyProgress):
                guard state.notes.count < Self.mostEvents else {
                    state.dropped += 1
                    return
                }
                if case .line(_, _, let message) = content { state.textBytes += message.utf8.count }
            case .waitStarted: state.open.waits += 1
            case .waitEnded: state.open.waits -= 1
            case .attemptStarted: state.open.beginAttempt(location)
            case .attemptEnded: state.open.endAttempt()
            case .other(.redirectDecided(let decision)):
                location.exchange = state.open.redirect(decision.isFollowed, at: location)
            default: break
            }
            state.add(content.moved(), location)
        }
    }

    /// Whether a line of this level would be kept.
    package func takes(_ level: LogLevel) -> Bool { state.withLock { level >= $0.options.lineLevel } }

    /// Sets the trace that the call belongs to, if it was not known at the start.
    package func describe(trace: TraceContext? = nil, link: TraceContext? = nil) {
        state.withLock { state in
            if let trace { state.trace = trace }
            if let link { state.link = link }
        }
    }

    /// Ends the call for its caller; the record follows when no exchange is open.
    package func finish(_ outcome: CallRecord.Outcome) {
        let feeds = state.withLock { state -> [CallFeed] in
            guard state.end == nil else { return [] }
            state.closeOpenParts()
            state.end(outcome)
            return state.listeners
        }
        deliver(to: feeds)
    }

    /// Begins work that other calls may share: the record waits for ``release()``, and contains the requests of that work
    /// even if the call ends before they are sent.
    package func hold() { state.withLock { $0.open.holds += 1 } }

    package func release() {
        let feeds = state.withLock { state -> [CallFeed] in
            state.open.holds -= 1
            return state.listeners
        }
        deliver(to: feeds)
    }

    /// Delivers the finished call: first to the counters, because a view may freeze it at once, which discards its notes.
    func deliver(to feeds: [CallFeed]) {
        for feed in feeds { feed.count(self) }
        for feed in feeds { feed.deliver(self) }
    }

    /// The statistics for counters, of a call that has ended and no longer changes.
    func statistics() -> CallStatistics { CallStatistics(state.withLock { $0 }) }

    var roughSize: Int { state.withLock { $0.textBytes + $0.notes.count * CallEvent.roughSize } }

    /// Whether nothing more can happen in the call.
    package var isOver: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// The record of a running call until now, without secrets; its outcome is not known yet.
    package var snapshot: CallRecord {
        var now = state.withLock { $0 }
        if let frozen = now.frozen.first { return frozen }
        // A stream is read after the end of its call: such a call runs.
        now.end = nil
        return CallRecord(freezing: now)
    }

    /// The finished record, without secrets; created once, on the first access.
    package func frozen() -> CallRecord {
        if let frozen = state.withLock({ $0.frozen.first }) { return frozen }
        // Outside the lock, because freezing takes long.
        let frozen = CallRecord(freezing: state.withLock { $0 })
        return state.withLock { state in
            if let earlier = state.frozen.first { return earlier }
            state.frozen = [frozen]
            state.notes = []
            return frozen
        }
    }
}

extension CallRecording.State {
    mutating func add(_ content: consuming CallNote.Content, _ location: CallEvent.Location) {
        add(CallNote(content, at: start.elapsed, location))
    }

    mutating func add(_ note: consuming CallNote) {
        notes.append(note)
        if isLive { notes.last?.events { deliver($0) } }
    }

    /// The feeds that get the record now; empty while events can still arrive.
    var listeners: [CallFeed] { end != nil && open.areAllEnded ? options.feeds : [] }

    /// Tracks the attempts and redirects of shared work after the end of the call, for its further requests.
    mutating func follow(_ content: borrowing CallNote.Content, _ location: CallEvent.Location) {
        guard open.holds > 0 else { return }
        switch content {
        case .attemptStarted: open.beginAttempt(location)
        case .attemptEnded: open.endAttempt()
        case .other(.redirectDecided(let decision)): _ = open.redirect(decision.isFollowed, at: location)
        default: break
        }
    }

    /// Ends the call; exchanges may still be open.
    mutating func end(_ outcome: CallRecord.Outcome) {
        end = (outcome, start.elapsed, notes.count, open.exchanges)
        if isLive, let endEvent { deliver(endEvent) }
    }

    private var endEvent: CallEvent? {
        end.map { CallEvent(.callEnded($0.outcome, open: Int($0.open)), at: $0.nanoseconds, .init()) }
    }

    /// All events, with their secrets.
    var events: [CallEvent] {
        var events: [CallEvent] = []
        events.reserveCapacity(notes.count + 8)
        for (index, note) in notes.enumerated() {
            if index == end?.index, let endEvent { events.append(endEvent) }
            note.events { events.append($0) }
        }
        if let endEvent, let end, end.index >= notes.count { events.append(endEvent) }
        return events
    }

    private func deliver(_ event: CallEvent) {
        for feed in options.feeds where feed.isLive { feed.deliver(event, of: start.call, by: options.secrets) }
    }

    /// Closes the events that a cancelled or lost branch has left open.
    mutating func closeOpenParts() {
        if open.waits > 0 { closeWaits() }
        if open.isInAttempt { add(.attemptEnded(.init(isCancelled: true)), .init(attempt: open.attempt)) }
    }

    private mutating func closeWaits() {
        var waits: [(kind: CallEvent.Wait.Kind, location: CallEvent.Location)] = []
        for note in notes {
            switch note.content {
            case .waitStarted(let wait): waits.append((wait.kind, note.location))
            case .waitEnded(let kind, _):
                let index = waits.lastIndex { $0.kind == kind && note.isOf($0.location) }
                if let index { waits.remove(at: index) }
            default: break
            }
        }
        for (kind, location) in waits.reversed() { add(.waitEnded(kind, .cancelled), location) }
        open.waits = 0
    }
}
