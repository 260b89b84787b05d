import CoreNetKitChain
import CoreNetKitHTTP

/// A record with its starts and ends matched: the basis of all views.
struct CallTimeline {
    /// One request and its response on the wire.
    struct Exchange {
        let number: Int
        let attempt: Int
        let start: Duration
        var request: CallEvent.SentRequest
        var end: Duration
        var timings: TransportTimings?
        var head: CallEvent.ReceivedHead?
        var result: CallEvent.ExchangeEnd?
        var redirect: CallEvent.RedirectDecision?
        /// The messages of a WebSocket, if contents are recorded.
        var messages: [(time: Duration, message: CallEvent.SocketMessage)] = []

        var duration: Duration { max(end - start, .zero) }

        var isSocket: Bool { head?.status == 101 || result?.socket != nil || !messages.isEmpty }

        /// Whether the content was read as a stream: the rest of the total was spent on that.
        var isReadByCaller: Bool {
            head != nil && head?.bodySize == nil && (result == nil || result?.bytesRead != nil)
        }

        /// The phases of the exchange, one after another, limited to its total.
        ///
        /// The phases are measured by the transport's clock and the total by the call's: their sum may be slightly larger.
        var phases: [Phase] {
            guard let timings else { return [] }
            var (phases, at) = ([Phase](), start)
            for kind in TransportError.Phase.all {
                // The transport's value is from the time of the head, before a stream was read.
                if kind == .receive, isReadByCaller { continue }
                guard let length = timings[keyPath: kind.row.length], length > .zero else { continue }
                if at < end { phases.append((kind, at, min(at + length, end))) }
                at += length
            }
            if isReadByCaller, at < end { phases.append((.receive, at, end)) }
            return phases
        }
    }

    typealias Phase = (kind: TransportError.Phase, start: Duration, end: Duration)

    struct Wait {
        let wait: CallEvent.Wait
        let attempt: Int
        let branch: Int
        let start: Duration
        var end: Duration
        var ending: CallEvent.Wait.End?

        var duration: Duration { max(end - start, .zero) }
    }

    struct Attempt {
        let number: Int
        let start: Duration
        var end: Duration
        var result: CallEvent.AttemptEnd?
        var decision: CallEvent.RetryDecision?
    }

    let record: CallRecord
    let isRunning: Bool
    private(set) var exchanges: [Exchange] = []
    private(set) var waits: [Wait] = []
    private(set) var attempts: [Attempt] = []
    private(set) var cache: [(time: Duration, outcome: CallEvent.CacheOutcome)] = []
    private(set) var hedges: [(time: Duration, after: Duration)] = []
    private(set) var joined: UInt64?

    /// The time until everything has ended, including late ends of streams.
    var end: Duration { max(record.duration, record.events.last?.time ?? .zero) }

    init(_ record: CallRecord, isRunning: Bool = false) {
        self.record = record
        self.isRunning = isRunning
        for event in record.events { take(event) }
        guard isRunning else { return }
        // What has begun lasts until now.
        for index in exchanges.indices where exchanges[index].result == nil { exchanges[index].end = record.duration }
        for index in waits.indices where waits[index].ending == nil { waits[index].end = record.duration }
        for index in attempts.indices where attempts[index].result == nil { attempts[index].end = record.duration }
    }

    /// How far a running call is; transports do not report when the last byte of a request was sent.
    var stage: String {
        if let open = exchanges.last(where: { $0.result == nil }) {
            return open.head == nil ? "pending" : "receiving"
        }
        return waits.contains { $0.ending == nil } ? "waiting" : "working"
    }

    /// A heading for the call.
    var title: String {
        guard let request else { return record.chain ?? "call" }
        return "\(request.method) \(record.template ?? request.url)"
    }

    /// The request as it entered the policies, or as it was first sent.
    var request: (method: HTTPMethod, url: String)? {
        record.request.map { ($0.method, $0.url) } ?? exchanges.first.map { ($0.request.method, $0.request.url) }
    }

    private mutating func take(_ event: CallEvent) {
        switch event.kind {
        case .waitStarted(let wait):
            let (attempt, branch) = (event.attempt, event.branch)
            waits.append(Wait(wait: wait, attempt: attempt, branch: branch, start: event.time, end: event.time))
        case .waitEnded(let kind, let ending):
            let index = waits.lastIndex {
                $0.ending == nil && $0.wait.kind == kind && $0.attempt == event.attempt && $0.branch == event.branch
            }
            guard let index else { return }
            waits[index].end = event.time
            waits[index].ending = ending
        case .attemptStarted: attempts.append(Attempt(number: event.attempt, start: event.time, end: event.time))
        case .attemptEnded(let result):
            guard let index = attempts.lastIndex(where: { $0.number == event.attempt }) else { return }
            attempts[index].end = event.time
            attempts[index].result = result
        case .retryDecided(let decision):
            if let index = attempts.lastIndex(where: { $0.number == event.attempt }) {
                attempts[index].decision = decision
            }
        case .cacheOutcome(let outcome): cache.append((event.time, outcome))
        case .hedgeStarted(let delay): hedges.append((event.time, delay))
        case .joined(let call, _): joined = call
        default: takeExchange(event)
        }
    }

    private mutating func takeExchange(_ event: CallEvent) {
        if case .exchangeStarted(let request) = event.kind {
            let (number, attempt, time) = (event.exchange, event.attempt, event.time)
            exchanges.append(.init(number: number, attempt: attempt, start: time, request: request, end: time))
            return
        }
        let known = exchanges.lastIndex { $0.number == event.exchange }
        guard event.exchange > 0, let index = known else { return }
        switch event.kind {
        case .phases(let timings): exchanges[index].timings = timings
        case .responseHead(let head):
            exchanges[index].head = head
            // The fields that the transport actually sent.
            if let sent = head.sentHeaders { exchanges[index].request = exchanges[index].request.sent(with: sent) }
            exchanges[index].end = event.time
        case .exchangeEnded(let result):
            exchanges[index].result = result
            exchanges[index].end = event.time
        case .redirectDecided(let decision): exchanges[index].redirect = decision
        case .socketMessage(let message): exchanges[index].messages.append((event.time, message))
        default: break
        }
    }
}

extension CallRecord {
    var failure: Failure? { if case .failed(let failure) = outcome { failure } else { nil } }
}
