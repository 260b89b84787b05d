public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// The frozen record of one finished call, the source of every view.
///
/// Secrets are removed before a record exists. The times of its events are offsets from ``startedAt``, the only reading
/// of the wall clock, so that they stay in order when that clock is changed.
public struct CallRecord: Sendable {
    /// How a call ended for its caller.
    public enum Outcome: Sendable {
        /// With a value.
        case completed
        /// With an error.
        case failed(Failure)
        /// Cancelled.
        case cancelled
    }

    /// The recorded part of an error: everything but its cause, and its response's content only if `log(contents:)` shows it.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The class of failure.
        public let code: NetworkError.Code
        /// The node that detected the failure.
        public let node: NodeID
        /// The part of the exchange that was running.
        public let phase: TransportError.Phase?
        /// The status of the response, if a head arrived.
        public let status: Int?
        /// The number of the failed attempt.
        public let attempt: Int
        /// What failed, where, and what to do; without secrets once it is in a record.
        public internal(set) var message: String

        package init(_ error: any Error) {
            let error = error as? NetworkError ?? NetworkError(.nodeFailed, "\(error)", node: "Chain", cause: error)
            code = error.code
            node = error.node
            phase = error.phase
            status = error.status
            attempt = error.attempt
            message = error.message + error.shownContent
        }

        /// One line fit for a log.
        public var description: String {
            let tries = attempt > 1 ? " (attempt \(attempt))" : ""
            return "\(code) in \(node)\(tries): \(message)"
        }
    }

    /// The number of the call, unique in this process.
    public let call: UInt64
    /// The name of the chain, if it has one.
    public let chain: String?
    /// The template of the route, such as `/users/{id}`, if known.
    public let template: String?
    /// The instant of the start on the wall clock.
    public let startedAt: Date
    /// The same instant on the clock of the client, to compare calls with one another.
    public let startedOn: Duration
    /// The trace that the call belongs to.
    public let trace: TraceContext?
    /// The position of the calling code, if the request's own trace took precedence.
    public let link: TraceContext?
    /// Everything that happened, in order.
    public let events: [CallEvent]
    /// How the call ended for its caller.
    public let outcome: Outcome
    /// The time from start to end, for its caller.
    public let duration: Duration
    /// The number of events that were dropped because the record was full.
    public let droppedEvents: Int
    /// Places where values with harmless names looked like secrets and were removed.
    public let hints: [String]

    /// The request as it entered the policies, without secrets.
    public var request: (method: HTTPMethod, url: String, headers: Headers)? {
        for event in events {
            if case .requestBuilt(let method, let url, let headers) = event.kind { return (method, url, headers) }
        }
        return nil
    }

    /// The number of requests that went to the wire.
    public var exchangeCount: Int {
        events.reduce(into: 0) { count, event in
            if case .exchangeStarted = event.kind { count += 1 }
        }
    }

    /// Makes the record of a call: the only place where its secrets are removed.
    init(freezing state: CallRecording.State) {
        call = state.start.call
        // No verb names a chain yet.
        chain = nil
        template = state.start.template
        startedAt = state.start.date
        startedOn = .nanoseconds(state.start.nanoseconds)
        trace = state.trace
        link = state.link
        var redactor = Redactor(by: state.options.secrets)
        redactor.showsTexts = state.options.shownBytes > 0
        var events = state.events
        for index in events.indices { events[index].redact(&redactor) }
        self.events = events
        outcome = (state.end?.outcome ?? .cancelled).redacted(&redactor)
        duration = .nanoseconds(state.end?.nanoseconds ?? state.start.elapsed)
        droppedEvents = Int(state.dropped)
        hints = redactor.hints
    }
}

extension CallRecord.Outcome {
    func redacted(by secrets: SecretRules) -> CallRecord.Outcome {
        var redactor = Redactor(by: secrets)
        return redacted(&redactor)
    }

    fileprivate func redacted(_ redactor: inout Redactor) -> CallRecord.Outcome {
        guard case .failed(var failure) = self else { return self }
        failure.message = redactor.message(failure.message)
        return .failed(failure)
    }
}

extension CallEvent {
    func redacted(by secrets: SecretRules) -> CallEvent {
        var redactor = Redactor(by: secrets)
        var copy = self
        copy.redact(&redactor)
        return copy
    }

    fileprivate mutating func redact(_ redactor: inout Redactor) {
        switch kind {
        case .requestBuilt(let method, let url, let headers):
            kind = .requestBuilt(method: method, url: redactor.url(url), headers: redactor.fields(headers))
        case .exchangeStarted(var sent):
            redactor.clean(&sent)
            kind = .exchangeStarted(sent)
        case .responseHead(var head):
            redactor.clean(&head)
            kind = .responseHead(head)
        case .socketMessage(var message):
            message.content = message.content.flatMap { redactor.content($0, &message.isCut, .json) }
            kind = .socketMessage(message)
        case .exchangeEnded(var end):
            guard let message = end.message else { return }
            end.message = redactor.message(message)
            kind = .exchangeEnded(end)
        case .redirectDecided(var decision):
            decision.target = redactor.url(decision.target)
            decision.reason = decision.reason.map { redactor.message($0) }
            kind = .redirectDecided(decision)
        case .line(let level, let node, let message): kind = .line(level, node, redactor.message(message))
        case .retryDecided(var decision):
            guard let reason = decision.reason else { return }
            decision.reason = redactor.message(reason)
            kind = .retryDecided(decision)
        case .cacheOutcome(var outcome):
            guard outcome.reason != nil || !outcome.redirects.isEmpty else { return }
            outcome.reason = outcome.reason.map { redactor.message($0) }
            for index in outcome.redirects.indices {
                outcome.redirects[index].target = redactor.url(outcome.redirects[index].target)
            }
            kind = .cacheOutcome(outcome)
        case .callEnded(let outcome, let open): kind = .callEnded(outcome.redacted(&redactor), open: open)
        case .decodeFailed(let type, let message): kind = .decodeFailed(type, message: redactor.message(message))
        case .callStarted, .joined, .waitStarted, .waitEnded, .attemptStarted, .attemptEnded, .phases,
            .bodyProgress, .hedgeStarted, .endpointDecided, .decoded:
            break
        }
    }
}

extension Headers {
    /// Declares socket texts as JSON: only structured texts are shown, because secrets cannot be found in others.
    fileprivate static var json: Headers { ["Content-Type": "application/json"] }
}

extension Redactor {
    fileprivate mutating func clean(_ sent: inout CallEvent.SentRequest) {
        sent.url = url(sent.url)
        sent.body = sent.body.flatMap { content($0, &sent.isBodyCut, sent.headers) }
        sent.headers = fields(sent.headers)
    }

    fileprivate mutating func clean(_ head: inout CallEvent.ReceivedHead) {
        head.body = head.body.flatMap { content($0, &head.isBodyCut, head.headers) }
        head.headers = fields(head.headers)
        head.sentHeaders = head.sentHeaders.map { fields($0) }
    }

    /// The kept content without secrets; truncation is marked.
    fileprivate mutating func content(_ kept: Data, _ isCut: inout Bool, _ headers: Headers) -> Data? {
        let limit = CallEvent.contentLimit
        guard let shown = body(kept, type: headers["Content-Type"], limit: .max, isCut: isCut) else { return nil }
        guard isCut || shown.count > limit else { return shown }
        isCut = true
        // Never cuts a character in two.
        let end = shown.count > limit ? shown.prefix(limit).lastIndex { $0 & 0xC0 != 0x80 } : nil
        return shown[..<(end ?? shown.endIndex)] + Data("…".utf8)
    }
}
