import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

struct HAREntry {
    let timeline: CallTimeline
    var exchange: CallTimeline.Exchange
    let waits: [CallTimeline.Wait]
    var cache: CallEvent.CacheOutcome?

    /// The entries of a call: its exchanges, or an entry for a call without any.
    static func entries(of timeline: CallTimeline) -> [HAREntry] {
        let outcome = timeline.cache.last?.outcome
        var waits = timeline.waits
        let entries = timeline.exchanges.map { exchange in
            let before = waits.prefix { $0.start <= exchange.start }
            waits.removeFirst(before.count)
            return HAREntry(timeline: timeline, exchange: exchange, waits: Array(before), cache: outcome)
        }
        guard entries.isEmpty, timeline.joined == nil, let request = timeline.record.request else { return entries }
        let isHit = outcome?.kind == .hit || outcome?.kind == .stale
        // Cancelled before the wire: there is nothing to show.
        return isHit || timeline.record.failure != nil ? unsent(timeline, request, outcome, isHit) : []
    }

    /// A call without an exchange: each stored redirect and its target.
    private static func unsent(
        _ timeline: CallTimeline,
        _ request: (method: HTTPMethod, url: String, headers: Headers),
        _ outcome: CallEvent.CacheOutcome?,
        _ isHit: Bool
    ) -> [HAREntry] {
        func entry(_ url: String, _ waits: [CallTimeline.Wait]) -> HAREntry {
            let sent = CallEvent.SentRequest(method: request.method, url: url, headers: request.headers)
            let end = timeline.record.duration
            let exchange = CallTimeline.Exchange(number: 0, attempt: 1, start: .zero, request: sent, end: end)
            return HAREntry(timeline: timeline, exchange: exchange, waits: waits, cache: outcome)
        }
        var (url, entries) = (request.url, [HAREntry]())
        for redirect in isHit ? outcome?.redirects ?? [] : [] {
            var hop = entry(url, [])
            hop.cache?.status = redirect.status
            hop.exchange.redirect = redirect
            entries.append(hop)
            url = redirect.target
        }
        return entries + [entry(url, timeline.waits)]
    }

    func write(to output: inout JSONOutput) {
        let (phases, total, unknown) = exchange.harTimings
        output.object { output in
            output.member("startedDateTime", WallTime.of(exchange.start, in: timeline.record).iso8601)
            output.member("time", digits: millisecondsText(total))
            output.object("request") { request(&$0) }
            output.object("response") { response(&$0) }
            output.object("cache") { _ in }
            output.object("timings") { output in
                for (name, part) in phases { output.member(name, digits: part.map { millisecondsText($0) } ?? "-1") }
            }
            if let address = exchange.timings?.remoteAddress {
                output.member("serverIPAddress", Self.host(of: address))
            }
            if let connection = exchange.timings?.connectionID { output.member("connection", String(connection)) }
            if exchange.result?.socket != nil || !exchange.messages.isEmpty { messages(&output) }
            if isFromCache, let tier = cache?.tier { output.member("_fromCache", "\(tier)") }
            output.object("_coreNetKit") { own(unknown, &$0) }
        }
    }

    /// The messages of a WebSocket, in Chrome's format.
    private func messages(_ output: inout JSONOutput) {
        output.member("_resourceType", "websocket")
        guard !exchange.messages.isEmpty else { return }
        output.array("_webSocketMessages", of: exchange.messages) { output, item in
            Self.write(item.message, at: WallTime.of(item.time, in: timeline.record), to: &output)
        }
    }

    private var isFromCache: Bool { exchange.number == 0 && (cache?.kind == .hit || cache?.kind == .stale) }

    private var version: String {
        switch exchange.timings?.httpVersion {
        case "1.0": "http/1.0"
        case "2": "h2"
        case "3": "h3"
        default: "http/1.1"
        }
    }

    private func request(_ output: inout JSONOutput) {
        let sent = exchange.request
        output.member("method", sent.method.rawValue)
        output.member("url", sent.url)
        output.member("httpVersion", version)
        output.array("cookies") { Self.cookies(sent.headers[values: "Cookie"], isRequest: true, to: &$0) }
        Self.write(sent.headers, to: &output)
        output.array("queryString") { Self.query(sent.url, to: &$0) }
        if sent.bodyKind != .none {
            output.object("postData") { output in
                output.member("mimeType", sent.headers["Content-Type"] ?? "")
                Self.write(content: sent.body ?? Data(), encoding: "_encoding", to: &output)
                if sent.isBodyCut { Self.cut(sent.body, of: sent.bodySize, to: &output) }
            }
        }
        output.member("headersSize", -1)
        output.member("bodySize", sent.bodyKind == .none ? 0 : sent.bodySize.map { Int($0) } ?? -1)
    }

    private func response(_ output: inout JSONOutput) {
        let head = exchange.head
        output.member("status", head?.status ?? status)
        output.member("statusText", "")
        output.member("httpVersion", version)
        let headers = head?.headers ?? [:]
        output.array("cookies") { Self.cookies(headers[values: "Set-Cookie"], isRequest: false, to: &$0) }
        Self.write(headers, to: &output)
        let sizes = sizes
        output.object("content") { output in
            output.member("size", sizes.content)
            if sizes.wire >= 0, sizes.content >= sizes.wire, headers.contains("Content-Encoding") {
                output.member("compression", sizes.content - sizes.wire)
            }
            output.member("mimeType", headers["Content-Type"] ?? "")
            if let body = head?.body { Self.write(content: body, encoding: "encoding", to: &output) }
            if head?.isBodyCut == true { Self.cut(head?.body, of: head?.bodySize, to: &output) }
        }
        let isRedirect = head.map { 300...399 ~= $0.status } ?? (exchange.redirect != nil)
        output.member("redirectURL", isRedirect ? exchange.redirect?.target ?? headers["Location"] ?? "" : "")
        output.member("headersSize", -1)
        output.member("bodySize", sizes.wire)
        if let received = exchange.timings?.bytesReceived { output.member("_transferSize", Int(received)) }
        if let error { output.member("_error", error) }
    }

    /// The status of an entry without a response of its own.
    private var status: Int {
        guard isFromCache else { return 0 }
        if let status = cache?.status { return status }
        if let failure = timeline.record.failure { return failure.status ?? 0 }
        return 200
    }

    private var error: String? {
        if let code = exchange.result?.code { return "\(code)" }
        if exchange.result?.result == .cancelled { return "cancelled" }
        guard exchange.number == 0, !isFromCache else { return nil }
        return timeline.record.failure.map { "\($0.code)" }
    }

    /// The number of content bytes after decompression and on the wire; -1 if unknown.
    private var sizes: (content: Int, wire: Int) {
        guard let head = exchange.head else { return (0, isFromCache ? 0 : -1) }
        if exchange.result?.socket != nil { return (0, 0) }
        if exchange.request.method == .head || head.status == 204 || head.status == 304 { return (0, 0) }
        let read = (exchange.result?.bytesRead ?? head.bodySize).map { Int($0) }
        let isCoded = head.headers.contains("Content-Encoding")
        let stated = head.headers["Content-Length"].flatMap { Int($0) }.map { max($0, -1) }
        return (read ?? 0, isCoded ? stated ?? -1 : read ?? stated ?? -1)
    }

    private func own(_ unknown: [String], _ output: inout JSONOutput) {
        output.member("call", String(timeline.record.call))
        output.member("attempt", exchange.attempt)
        output.member("exchange", exchange.number)
        output.member("hop", exchange.request.hop)
        if exchange.head?.isBodyCut == true { output.member("cut", true) }
        output.member("cause", exchange.number == 0 ? isFromCache ? "cache" : "unsent" : "\(exchange.request.cause)")
        if let template = timeline.record.template { output.member("template", template) }
        if !unknown.isEmpty { output.array("unknown", of: unknown) { $0.member(nil, $1) } }
        if let socket = exchange.result?.socket { Self.write(socket, to: &output) }
        if let cache { output.member("cache", "\(cache.kind)" + (cache.reason.map { ": \($0)" } ?? "")) }
        guard !waits.isEmpty else { return }
        output.array("waits", of: waits) { output, wait in
            output.object { output in
                output.member("kind", "\(wait.wait.kind)")
                output.member("start", digits: millisecondsText(wait.start.microseconds))
                output.member("time", digits: millisecondsText(wait.duration.microseconds))
                if let ahead = wait.wait.ahead { output.member("ahead", ahead) }
                guard let asked = wait.wait.askedByServer else { return }
                output.member("retryAfter", digits: millisecondsText(asked.microseconds))
            }
        }
    }
}

extension CallTimeline.Exchange {
    /// In microseconds: the phases as HAR defines them (`connect` includes `ssl`), `nil` if one did not happen or is not known;
    /// their exact sum; the names of those that HAR requires, but that were not measured.
    fileprivate var harTimings: (phases: [(name: StaticString, length: Int64?)], total: Int64, unknown: [String]) {
        func part(_ duration: Duration?) -> Int64? { duration.map { max($0.microseconds, 0) } }
        let (whole, isNew) = (max(duration.microseconds, 0), timings?.isConnectionReused != true)
        let blocked = timings == nil ? whole : part(timings?.queue)
        let ssl = isNew ? part(timings?.tls) : nil
        let dns = isNew ? part(timings?.resolve) : nil
        let connect = isNew ? part(timings?.connect).map { $0 + (ssl ?? 0) } : nil
        let (send, wait) = (part(timings?.send), part(timings?.firstByte))
        let before = [blocked, dns, connect, send, wait].reduce(0) { $0 + ($1 ?? 0) }
        // Without timings only the total is known. A stream is timed by the call's clock: the rest of the total.
        let receive = timings != nil && isReadByCaller ? max(whole - before, 0) : part(timings?.receive)
        let unknown = [("send", send), ("wait", wait), ("receive", receive)].filter { $0.1 == nil }.map(\.0)
        return (
            [
                ("blocked", blocked), ("dns", dns), ("connect", connect), ("ssl", ssl), ("send", send ?? 0),
                ("wait", wait ?? 0), ("receive", receive ?? 0),
            ],
            before + (receive ?? 0), unknown
        )
    }
}
