import CoreNetKitSystem
import CoreNetKitEssentials
package import CoreNetKitHTTP

/// What counters want of a finished call, read from its notes: nothing of it is frozen, redacted or kept for them.
package struct CallFigures: Sendable {
    /// A request and what became of it.
    package struct Sent: Sendable {
        package let method: HTTPMethod
        package let origin: Origin?
        package let cause: CallEvent.ExchangeCause
        package fileprivate(set) var status: Int?
        package fileprivate(set) var httpVersion: String?
        package fileprivate(set) var code: NetworkError.Code?
        /// Whether its reader left, or the call was cancelled.
        package fileprivate(set) var isCancelled = false
        fileprivate let number: Int
        fileprivate let start: Int64
        fileprivate var end: Int64

        package var seconds: Double { max(Double(end &- start), 0) / 1e9 }
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

    package let outcome: CallRecord.Outcome
    package let template: String?
    package private(set) var exchanges: [Sent] = []
    package private(set) var waits: [Wait] = []
    package private(set) var cache: [CallEvent.CacheOutcome] = []
    package private(set) var isJoined = false

    /// Of a record.
    package init(_ record: CallRecord) {
        (outcome, template) = (record.outcome, record.template)
        for event in record.events { take(event.kind, at: event.time.wholeNanoseconds, event.place) }
    }

    /// Of the notes of a call.
    init(_ state: CallRecording.State) {
        (outcome, template) = (state.end?.outcome ?? .cancelled, state.template)
        for note in state.notes {
            let (time, place) = (note.nanoseconds, note.place)
            switch note.content {
            case .sent(let request, let cause, _, _):
                begin(request.method, Origin(request.url), cause, at: time, place)
            case .received(let received):
                change(place.exchange, at: time) { exchange in
                    exchange.status = Int(received.head.status)
                    exchange.httpVersion = received.head.timings.httpVersion
                }
            case .waitStarted(let wait): begin(wait.kind, at: time, place)
            case .waitEnded(let kind, _): end(kind, at: time, place)
            case .other(let kind): take(kind, at: time, place)
            case .callStarted, .requestBuilt, .attemptStarted, .attemptEnded, .decoded, .line: break
            }
        }
    }

    private mutating func take(_ kind: CallEvent.Kind, at time: Int64, _ place: CallEvent.Place) {
        switch kind {
        case .exchangeStarted(let sent):
            begin(sent.method, URL(string: sent.url).map { Origin($0) }, sent.cause, at: time, place)
        case .phases(let timings): change(place.exchange, at: nil) { $0.httpVersion = timings.httpVersion }
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

    private mutating func begin(
        _ method: HTTPMethod,
        _ origin: Origin?,
        _ cause: CallEvent.ExchangeCause,
        at time: Int64,
        _ place: CallEvent.Place
    ) {
        exchanges.append(
            Sent(method: method, origin: origin, cause: cause, number: place.exchange, start: time, end: time)
        )
    }

    private mutating func change(_ number: Int, at time: Int64?, _ change: (inout Sent) -> Void) {
        guard number > 0, let index = exchanges.lastIndex(where: { $0.number == number }) else { return }
        change(&exchanges[index])
        if let time { exchanges[index].end = time }
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
