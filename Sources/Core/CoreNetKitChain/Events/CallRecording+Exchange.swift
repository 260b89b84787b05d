package import CoreNetKitHTTP
import CoreNetKitSystem

extension CallRecording {
    /// Records that a request is sent, and returns its number in the call; 0 if the call or the attempt has ended: its
    /// remaining requests are cancelled, and no transport sends them.
    package func beginExchange(
        _ request: TransportRequest,
        at location: CallEvent.Location,
        credentials: [String] = []
    ) -> Int {
        state.withLock { state in
            var location = location
            guard let (cause, hop) = state.open.beginExchange(at: &location, isOver: state.end != nil) else { return 0 }
            let limit = state.options.keptBytes
            if limit > 0 || !request.isLight {
                var sent = CallEvent.SentRequest(request, cause: cause, hop: Int(hop), keeping: limit)
                sent.headers.hide(credentials, by: state.options.secrets)
                state.textBytes += sent.body?.count ?? 0
                state.add(.other(.exchangeStarted(sent)), location)
            } else {
                if case .bytes(let data) = request.body.content { state.textBytes += data.count }
                state.add(.sent(request, cause, hop: hop, hidden: credentials), location)
            }
            return location.exchange
        }
    }

    /// Records the head of a response; content that was delivered as a whole ends the exchange.
    ///
    /// With `isOpen` the end of the exchange is recorded separately, because the content failed; `credentials` are
    /// names of fields that carry credentials although their names do not show it.
    package func receive(
        _ response: TransportResponse,
        isOpen: Bool = false,
        at location: CallEvent.Location,
        credentials: [String] = []
    ) {
        guard location.exchange > 0 else { return }
        let feeds = state.withLock { state -> [CallFeed] in
            let received = CallNote.Received(response, isOpen: isOpen)
            let limit = state.options.keptBytes
            guard limit > 0 else {
                state.add(.received(received), location)
                return received.isWhole ? state.closeExchange() : []
            }
            state.add(.other(.phases(response.timings)), location)
            var head = CallEvent.ReceivedHead(response, keeping: limit)
            head.sentHeaders?.hide(credentials, by: state.options.secrets)
            state.textBytes += head.body?.count ?? 0
            state.add(.other(.responseHead(head)), location)
            return received.isWhole ? state.end(location, .init(.complete, bytesRead: received.bodySize)) : []
        }
        deliver(to: feeds)
    }

    package func endExchange(
        _ end: CallEvent.ExchangeEnd,
        timings: TransportTimings? = nil,
        at location: CallEvent.Location
    ) {
        guard location.exchange > 0 else { return }
        let feeds = state.withLock { state -> [CallFeed] in
            if let timings { state.add(.other(.phases(timings)), location) }
            return state.end(location, end)
        }
        deliver(to: feeds)
    }
}

extension CallRecording.State {
    fileprivate mutating func end(_ location: CallEvent.Location, _ end: CallEvent.ExchangeEnd) -> [CallFeed] {
        add(.other(.exchangeEnded(end)), location)
        return closeExchange()
    }

    /// Closes one exchange; after the last one of a finished call, returns the feeds that get the record now.
    fileprivate mutating func closeExchange() -> [CallFeed] {
        open.exchanges -= 1
        return listeners
    }
}

extension CallRecording {
    /// Whether a listener needs all details of an exchange, even those that are costly to collect.
    package var wantsAll: Bool { state.withLock { $0.options.keepsBodies } }

    /// Keeps a message of an open connection, even after its call has ended; messages beyond the limit are counted.
    func keep(_ message: CallEvent.SocketMessage, at location: CallEvent.Location) {
        state.withLock { state in
            guard state.notes.count < Self.mostEvents, state.textBytes < Self.mostMessageBytes else {
                state.dropped += 1
                return
            }
            state.textBytes += message.content?.count ?? 0
            state.add(.other(.socketMessage(message)), location)
        }
    }

    /// The maximum number of content bytes; further messages of a connection are dropped.
    private static var mostMessageBytes: Int { 1 << 20 }
}

extension TransportRequest {
    /// Whether the record may keep it unchanged, without holding large content or a stream in memory.
    fileprivate var isLight: Bool {
        switch body.content {
        case .empty, .file: true
        case .bytes(let data): data.count <= 4096
        case .stream: false
        }
    }
}

extension Headers {
    private static let trace = ["traceparent", "tracestate"]

    /// Hides the values of secret fields whose names do not show it; the redactor handles the others.
    mutating func hide(_ names: [String], by rules: SecretRules) {
        // A trace context does not cross origins, like a credential, but is not secret: spans are found by it.
        for name in names where rules.verdict(field: name) != .secret && !Self.trace.contains(name) {
            for index in fields.indices where Headers.matches(fields[index].name, name) {
                fields[index].value = Redactor.word
            }
        }
    }
}
