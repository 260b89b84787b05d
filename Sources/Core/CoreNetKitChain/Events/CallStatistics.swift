import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// The statistics of a finished call for counters, read from its notes: nothing is frozen, redacted or kept for them.
///
/// It has a single owner, because a copy would cost a large part of the counting.
package struct CallStatistics: ~Copyable, Sendable {
    /// A request and its outcome; all field types have a size known at compile time.
    package struct Sent: Sendable {
        fileprivate static var none: Sent {
            Sent(method: .other, url: "", cause: .first, number: 0, time: 0)
        }

        package fileprivate(set) var method: Method
        /// The text of its URL; of its logical origin, if a member got it.
        package fileprivate(set) var url: String
        package fileprivate(set) var cause: CallEvent.ExchangeCause
        package fileprivate(set) var version = Version.unknown
        package fileprivate(set) var code: NetworkError.Code?
        /// Whether its reader stopped reading, or the call was cancelled.
        package fileprivate(set) var isCancelled = false
        /// Whether a member of its logical origin got it.
        fileprivate var hasMember = false
        /// The status; 0 if there is none.
        private var statusCode: Int32 = 0
        /// The number of the exchange; 0 if there is no request.
        fileprivate var number: Int
        fileprivate var start: Int64
        fileprivate var end: Int64

        fileprivate init(
            method: Method,
            url: String,
            cause: CallEvent.ExchangeCause,
            number: Int,
            time: Int64
        ) {
            (self.method, self.url, self.cause, self.number) = (method, url, cause, number)
            (start, end) = (time, time)
        }

        package fileprivate(set) var status: Int? {
            get { statusCode == 0 ? nil : Int(statusCode) }
            set { statusCode = Int32(clamping: newValue ?? 0) }
        }

        /// `nil` if the URL cannot be parsed.
        package var origin: Origin? { Origin(text: url) ?? URL(string: url).map { Origin($0) } }
        package var seconds: Double { max(Double(end &- start), 0) / 1e9 }

        /// The properties it shares with requests of the same status, method and version; `nil` if it had no response,
        /// ended with an error or has an unusual version.
        package func kind(hasTemplate: Bool) -> Kind? {
            guard statusCode != 0, code == nil, !isCancelled, let version = version.code else { return nil }
            let status = UInt64(UInt32(bitPattern: statusCode))
            return Kind(
                word: status << 32 | UInt64(hasMember ? 1 : 0) << 17 | UInt64(hasTemplate ? 1 : 0) << 16
                    | UInt64(method.rawValue) << 8 | UInt64(version)
            )
        }
    }

    /// The shared properties of requests that ended without an error, in one machine word.
    package struct Kind: Equatable, Sendable {
        fileprivate let word: UInt64

        package var hasTemplate: Bool { word & 1 << 16 != 0 }
        /// Whether they went to members of a logical origin.
        package var hasEndpoint: Bool { word & 1 << 17 != 0 }
    }

    package enum Outcome: Int, CaseIterable, Sendable {
        case completed, failed, cancelled

        package init(_ outcome: CallRecord.Outcome) {
            self =
                switch outcome {
                case .completed: .completed
                case .failed: .failed
                case .cancelled: .cancelled
                }
        }
    }

    package struct Wait: Sendable {
        package let kind: CallEvent.Wait.Kind
        fileprivate let attempt: Int
        fileprivate let branch: Int
        fileprivate let start: Int64
        fileprivate var end: Int64
        fileprivate var isOver = false

        package var seconds: Double { max(Double(end &- start), 0) / 1e9 }
    }

    /// Values that few calls have.
    private struct Extras: Sendable {
        var others: [Sent] = []
        var waits: [Wait] = []
        var cache: [CallEvent.CacheOutcome] = []
        var isJoined = false
        var sockets: [CallEvent.SocketEnd] = []
        var endpoints: [CallEvent.EndpointDecision] = []
        /// The members that got requests, by the numbers of their exchanges.
        var members: [Int: EndpointNames] = [:]
    }

    package internal(set) var outcome = Outcome.cancelled
    package let template: String?
    /// The first request, usually the only one; its number is 0 if there is none.
    package private(set) var first = Sent.none
    /// At most one element, allocated separately, so that calls without it stay small.
    private var extras: [Extras] = []

    /// Whether there was at most one request, and nothing else to count.
    package var isPlain: Bool { extras.isEmpty }
    package var waits: [Wait] { extras.first?.waits ?? [] }
    package var cache: [CallEvent.CacheOutcome] { extras.first?.cache ?? [] }
    package var sockets: [CallEvent.SocketEnd] { extras.first?.sockets ?? [] }
    /// Decisions about servers, without those that are part of each call.
    package var endpoints: [CallEvent.EndpointDecision] { extras.first?.endpoints ?? [] }
    package var isJoined: Bool { extras.first?.isJoined ?? false }
    /// The call in its usual form, one request, its first, that ended without an error; `nil` if there is more to count.
    ///
    /// `mutating`, so that it is read in place.
    package var plain: (kind: Kind, seconds: Double)? {
        mutating get {
            guard extras.isEmpty, first.cause == .first, let kind = first.kind(hasTemplate: template != nil) else {
                return nil
            }
            return (kind, first.seconds)
        }
    }

    init(template: String?) { self.template = template }

    package init(_ record: CallRecord) {
        (outcome, template) = (Outcome(record.outcome), record.template)
        for event in record.events { take(event.kind, at: event.time.wholeNanoseconds, event.location) }
    }

    init(_ state: CallRecording.State) {
        (outcome, template) = (state.end.map { Outcome($0.outcome) } ?? .cancelled, state.start.template)
        for note in state.notes {
            let (time, location) = (note.nanoseconds, note.location)
            switch note.content {
            case .sent(let request, let cause, _, _):
                let (method, member) = (Method(request.method), request.endpoint)
                begin(method, member?.logical ?? request.urlText, cause, at: time, location.exchange, member)
            case .received(let received):
                let head = received.head
                receive(Int(head.status), Version(head.httpVersion), in: location.exchange, at: time)
            case .waitStarted(let wait): begin(wait.kind, at: time, location)
            case .waitEnded(let kind, _): end(kind, at: time, location)
            case .other(let kind): take(kind, at: time, location)
            case .callStarted, .requestBuilt, .attemptStarted, .attemptEnded, .decoded, .line: break
            }
        }
    }

    /// Visits all requests in order, with the member that got one of a logical origin; by reference: they are large.
    package mutating func forEachExchange(_ body: (inout Sent, _ endpoint: String?) -> Void) {
        let members = extras.first?.members ?? [:]
        if first.number > 0 { body(&first, members[first.number]?.member) }
        guard !extras.isEmpty else { return }
        for index in extras[0].others.indices {
            let number = extras[0].others[index].number
            body(&extras[0].others[index], members[number]?.member)
        }
    }

    mutating func receive(_ status: Int, _ version: Version, in exchange: Int, at time: Int64) {
        change(exchange, at: time) { sent in
            sent.status = status
            sent.version = version
        }
    }

    mutating func take(_ kind: CallEvent.Kind, at time: Int64, _ location: CallEvent.Location) {
        switch kind {
        case .exchangeStarted(let sent):
            let url = sent.logicalOrigin ?? sent.url
            begin(Method(sent.method), url, sent.cause, at: time, location.exchange, sent.member)
        case .phases(let timings): change(location.exchange, at: nil) { $0.version = Version(timings.httpVersion) }
        case .responseHead(let head): change(location.exchange, at: time) { $0.status = head.status }
        case .exchangeEnded(let end):
            // A connection that continues as a socket is not a long request: the request ended with its head.
            change(location.exchange, at: end.socket == nil ? time : nil) { exchange in
                exchange.code = end.code
                exchange.isCancelled = end.result == .cancelled
            }
            if let socket = end.socket { changeExtras { $0.sockets.append(socket) } }
        case .waitStarted(let wait): begin(wait.kind, at: time, location)
        case .waitEnded(let kind, _): end(kind, at: time, location)
        case .cacheOutcome(let outcome): changeExtras { $0.cache.append(outcome) }
        case .joined: changeExtras { $0.isJoined = true }
        case .endpointDecided(let decision) where decision.kind != .chosen || decision.reason != nil:
            changeExtras { $0.endpoints.append(decision) }
        default: break
        }
    }

    mutating func begin(
        _ method: Method,
        _ url: consuming String,
        _ cause: CallEvent.ExchangeCause,
        at time: Int64,
        _ exchange: Int,
        _ member: EndpointNames? = nil
    ) {
        if let member { changeExtras { $0.members[exchange] = member } }
        guard first.number == 0 else {
            var sent = Sent(method: method, url: url, cause: cause, number: exchange, time: time)
            sent.hasMember = member != nil
            return changeExtras { $0.others.append(sent) }
        }
        // In place: the other fields still have their initial values.
        first.method = method
        first.url = url
        first.hasMember = member != nil
        (first.cause, first.number, first.start, first.end) = (cause, exchange, time, time)
    }

    @inline(__always)
    private mutating func change(_ number: Int, at time: Int64?, _ change: (inout Sent) -> Void) {
        guard number > 0 else { return }
        if first.number == number {
            if let time { first.end = time }
            change(&first)
        } else if !extras.isEmpty, let index = extras[0].others.lastIndex(where: { $0.number == number }) {
            if let time { extras[0].others[index].end = time }
            change(&extras[0].others[index])
        }
    }

    private mutating func changeExtras(_ change: (inout Extras) -> Void) {
        if extras.isEmpty { extras.append(Extras()) }
        change(&extras[0])
    }

    /// Closes open waits at the end of the call.
    mutating func closeWaits(at time: Int64) {
        changeExtras { extras in
            for index in extras.waits.indices where !extras.waits[index].isOver {
                extras.waits[index].end = time
                extras.waits[index].isOver = true
            }
        }
    }

    private mutating func begin(_ kind: CallEvent.Wait.Kind, at time: Int64, _ location: CallEvent.Location) {
        let wait = Wait(kind: kind, attempt: location.attempt, branch: location.branch, start: time, end: time)
        changeExtras { $0.waits.append(wait) }
    }

    private mutating func end(_ kind: CallEvent.Wait.Kind, at time: Int64, _ location: CallEvent.Location) {
        changeExtras { extras in
            let index = extras.waits.lastIndex {
                !$0.isOver && $0.kind == kind && $0.attempt == location.attempt && $0.branch == location.branch
            }
            guard let index else { return }
            extras.waits[index].end = time
            extras.waits[index].isOver = true
        }
    }
}

/// A sink that only counts: it is called at the end of each call, on the call's path, so it never misses one.
package protocol CallCounter: AnyObject, CallSink {
    /// Counts one finished call; it must be quick. The statistics no longer change: by reference, to avoid a copy.
    func count(_ statistics: inout CallStatistics)
}

extension CallEvent.SentRequest {
    /// The origin of the member that got the request of a logical origin.
    package var endpoint: String? { member?.member }
}
