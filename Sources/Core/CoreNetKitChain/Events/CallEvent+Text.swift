import CoreNetKitEssentials
import CoreNetKitHTTP

extension CallEvent {
    /// A line of a log about an event.
    typealias Text = (level: LogLevel, node: NodeID, message: String)

    /// The log lines of an event, whatever the level and the excluded nodes, with the first bytes of contents.
    func texts(in record: CallRecord, contents: Int = 0) -> [Text] {
        switch kind {
        case .requestBuilt(let method, let url, _):
            return [(.debug, .request, "\(method) \(url)")]
        case .exchangeStarted(let sent):
            let fields: [Text] = sent.headers.map { (.debug, .transport, "\($0.name): \($0.value)") }
            let size = sent.bodyKind == .none ? 0 : sent.bodySize
            return [(.info, .transport, "\(sent.method) \(sent.url)")] + fields
                + content(sent.body, of: sent.headers, size: size, contents)
        case .cacheOutcome(let outcome): return [(.info, "CacheNode", outcome.reason ?? "\(outcome.kind)")]
        case .joined: return [(.info, "CoalescingNode", "joins an equal request in flight")]
        case .waitStarted(let wait): return wait.text.map { [$0] } ?? []
        case .responseHead(let head):
            return [(.info, .transport, summary(head, record))]
                + content(head.body, of: head.headers, size: head.status == 101 ? 0 : head.bodySize, contents)
        case .exchangeEnded(let end): return end.text.map { [$0] } ?? []
        case .retryDecided(let decision): return [text(decision)]
        case .redirectDecided(let decision): return [decision.text]
        case .hedgeStarted(let delay):
            let message = "no response after \(delay.milliseconds): sends a second request"
            return [(.warning, "HedgeNode", message)]
        case .endpointDecided(let decision):
            return [(decision.kind == .ejected ? .warning : .info, "EndpointNode", "\(decision)")]
        case .decodeFailed(let type, let message):
            return [(.debug, .response, "no \(type): \(message)")]
        case .line(let level, let node, let message): return [(level, node, message)]
        case .callStarted, .waitEnded, .attemptStarted, .attemptEnded, .phases,
            .bodyProgress, .socketMessage, .decoded, .callEnded:
            return []
        }
    }

    private func content(_ body: Data?, of headers: Headers, size: Int64?, _ limit: Int) -> [Text] {
        guard limit > 0, size != 0 else { return [] }
        let shown = body.map { Redactor.line($0, limit: limit) }
        let text = shown ?? Redactor.omission(type: headers["Content-Type"], size: size)
        return [(.info, .transport, "content: \(text)")]
    }

    private func summary(_ head: ReceivedHead, _ record: CallRecord) -> String {
        var parts = ["status \(head.status)"]
        if let size = head.bodySize { parts.append("\(size) bytes") }
        let phases = record.events.first { event in
            guard case .phases = event.kind else { return false }
            return event.exchange == exchange
        }
        if case .phases(let timings)? = phases?.kind {
            if let first = timings.firstByte { parts.append("first byte after \(first.milliseconds)") }
            if let reused = timings.isConnectionReused { parts.append(reused ? "reused" : "new connection") }
        }
        return parts.joined(separator: ", ")
    }

    private func text(_ decision: RetryDecision) -> Text {
        if decision.isRetry {
            let wait = "the next one in \(decision.delay.milliseconds)"
            return (.warning, "RetryNode", "attempt \(attempt) failed: \(decision.code); \(wait)")
        }
        let reason = decision.reason.map { ": \($0)" } ?? ""
        return (.debug, "RetryNode", "attempt \(attempt) failed: \(decision.code); not tried again\(reason)")
    }
}

extension CallEvent.Wait {
    fileprivate var text: CallEvent.Text? {
        switch kind {
        case .pace: (.debug, "PaceNode", "waits for the end of the burst")
        case .concurrency: (.debug, "LimitNode", "waits for its turn")
        case .rate: (.debug, "RateNode", "waits for its time")
        case .token where isLeading: (.info, .token, "refreshes the token")
        case .token: (.info, .token, "waits for the refresh of the token")
        case .breaker: (.debug, "BreakerNode", "waits for the probe")
        case .backoff, .shared, .store: nil
        }
    }
}

extension CallEvent.ExchangeEnd {
    fileprivate var text: CallEvent.Text? {
        if let socket { return (code == nil ? .info : .warning, "SocketNode", "\(socket)") }
        guard let code else { return nil }
        return (.error, .transport, "\(code)" + (message.map { ": \($0)" } ?? ""))
    }
}

extension CallEvent.RedirectDecision {
    fileprivate var text: CallEvent.Text {
        let refusal = isFollowed ? "" : ", not followed" + (reason.map { ": \($0)" } ?? "")
        return (.warning, "RedirectNode", "\(status) to \(target)\(refusal)")
    }
}
