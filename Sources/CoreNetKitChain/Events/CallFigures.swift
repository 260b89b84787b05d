import CoreNetKitSystem
package import CoreNetKitEssentials
package import CoreNetKitHTTP

/// What counters want of a finished call, read from its notes: nothing of it is frozen, redacted or kept for them.
package struct CallFigures: Sendable {
    /// A request and what became of it.
    package struct Sent: Sendable {
        package let method: HTTPMethod
        /// `nil` where it cannot be read.
        package let url: URL?
        package let cause: CallEvent.ExchangeCause
        /// As the transport keeps it: read when it is counted.
        fileprivate var head: LateHead?
        package fileprivate(set) var status: Int?
        fileprivate var version: String?
        package fileprivate(set) var code: NetworkError.Code?
        /// Whether its reader left, or the call was cancelled.
        package fileprivate(set) var isCancelled = false
        fileprivate let number: Int
        fileprivate let start: Int64
        fileprivate var end: Int64

        package var origin: Origin? { url.map { Origin($0) } }
        package var httpVersion: String? { head.map { $0.timings.httpVersion } ?? version }
        package var seconds: Double { max(Double(end &- start), 0) / 1e9 }
    }

    /// How a call ended.
    package enum Outcome: Int, CaseIterable, Sendable {
        case completed, failed, cancelled

        init(_ outcome: CallRecord.Outcome) {
            self =
                switch outcome {
                case .completed: .completed
                case .failed: .failed
                case .cancelled: .cancelled
                }
        }
    }

    /// A wait of a policy.
    package struct Wait: Sendable {
        package let kind: CallEvent.Wait.Kind
        fileprivate let attempt: Int
        fileprivate let branch: Int
        fileprivate let start: Int64
        fileprivate var end: Int64
        fileprivate var isOver = false

        package var seconds: Double { max(Double(end &- start), 0) / 1e9 }
    }

    package internal(set) var outcome = Outcome.cancelled
    package let template: String?
    /// Most calls have one.
    private var first: Sent?
    private var others: [Sent] = []
    package private(set) var waits: [Wait] = []
    package private(set) var cache: [CallEvent.CacheOutcome] = []
    package private(set) var isJoined = false

    /// Of a call that begins.
    init(template: String?) { self.template = template }

    /// Of a record.
    package init(_ record: CallRecord) {
        (outcome, template) = (Outcome(record.outcome), record.template)
        for event in record.events { take(event.kind, at: event.time.wholeNanoseconds, event.place) }
    }

    /// Of the notes of a call.
    init(_ state: CallRecording.State) {
        (outcome, template) = (state.end.map { Outcome($0.outcome) } ?? .cancelled, state.template)
        for note in state.notes {
            let (time, place) = (note.nanoseconds, note.place)
            switch note.content {
            case .sent(let request, let cause, _, _): begin(request.method, request.url, cause, at: time, place)
            case .received(let received): receive(received.head, in: place.exchange, at: time)
            case .waitStarted(let wait): begin(wait.kind, at: time, place)
            case .waitEnded(let kind, _): end(kind, at: time, place)
            case .other(let kind): take(kind, at: time, place)
            case .callStarted, .requestBuilt, .attemptStarted, .attemptEnded, .decoded, .line: break
            }
        }
    }

    /// All requests, in the order in which they went out.
    package func forEachExchange(_ body: (Sent) -> Void) {
        if let first { body(first) }
        for sent in others { body(sent) }
    }

    mutating func receive(_ head: LateHead, in exchange: Int, at time: Int64) {
        change(exchange, at: time) { sent in
            sent.head = head
            sent.status = Int(head.status)
        }
    }

    mutating func take(_ kind: CallEvent.Kind, at time: Int64, _ place: CallEvent.Place) {
        switch kind {
        case .exchangeStarted(let sent):
            begin(sent.method, URL(string: sent.url), sent.cause, at: time, place)
        case .phases(let timings):
            change(place.exchange, at: nil) { ($0.head, $0.version) = (nil, timings.httpVersion) }
        case .responseHead(let head): change(place.exchange, at: time) { $0.status = head.status }
        case .exchangeEnded(let end):
            change(place.exchange, at: time) { exchange in
                exchange.code = end.code
                exchange.isCancelled = end.result == .cancelled
            }
        case .waitStarted(let wait): begin(wait.kind, at: time, place)
        case .waitEnded(let kind, _): end(kind, at: time, place)
        case .cacheOutcome(let outcome): cache.append(outcome)
        case .joined: isJoined = true
        default: break
        }
    }

    mutating func begin(
        _ method: HTTPMethod,
        _ url: URL?,
        _ cause: CallEvent.ExchangeCause,
        at time: Int64,
        _ place: CallEvent.Place
    ) {
        let sent = Sent(method: method, url: url, cause: cause, number: place.exchange, start: time, end: time)
        if first == nil { first = sent } else { others.append(sent) }
    }

    private mutating func change(_ number: Int, at time: Int64?, _ change: (inout Sent) -> Void) {
        guard number > 0 else { return }
        if first?.number == number {
            if let time { first?.end = time }
            Self.withSome(&first, change)
        } else if let index = others.lastIndex(where: { $0.number == number }) {
            if let time { others[index].end = time }
            change(&others[index])
        }
    }

    /// In place: it is not small.
    private static func withSome(_ sent: inout Sent?, _ change: (inout Sent) -> Void) {
        guard var some = sent.take() else { return }
        change(&some)
        sent = some
    }

    var hasWaits: Bool { !waits.isEmpty }

    /// What still waits ends with the call.
    mutating func closeWaits(at time: Int64) {
        for index in waits.indices where !waits[index].isOver {
            waits[index].end = time
            waits[index].isOver = true
        }
    }

    private mutating func begin(_ kind: CallEvent.Wait.Kind, at time: Int64, _ place: CallEvent.Place) {
        waits.append(Wait(kind: kind, attempt: place.attempt, branch: place.branch, start: time, end: time))
    }

    private mutating func end(_ kind: CallEvent.Wait.Kind, at time: Int64, _ place: CallEvent.Place) {
        let index = waits.lastIndex {
            !$0.isOver && $0.kind == kind && $0.attempt == place.attempt && $0.branch == place.branch
        }
        guard let index else { return }
        waits[index].end = time
        waits[index].isOver = true
    }
}

/// A sink that only counts.
///
/// It is told at the end of a call, on its path: so it misses none, however many there are.
package protocol CallCounter: CallSink {
    /// Takes what it counts of one finished call; it must be quick.
    func count(_ figures: CallFigures)
}

extension CallEvent {
    fileprivate var place: Place { Place(attempt: attempt, branch: branch, exchange: exchange) }
}
