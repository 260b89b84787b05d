import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// A call as spans of OpenTelemetry: one per exchange on the wire, with what its server says of its work, and optionally one
/// for the call around them.
struct OTLPSpans {
    let timeline: CallTimeline
    let includesCall: Bool
    private let trace: TraceContext
    private let callSpan: UInt64

    init(_ record: CallRecord, includesCall: Bool) {
        timeline = CallTimeline(record)
        self.includesCall = includesCall
        var random = SplitMix64(seed: record.call ^ UInt64(bitPattern: WallTime(record.startedAt).microseconds))
        trace = record.trace ?? TraceContext(traceID: (random.next(), random.next() | 1), parentID: 0)
        callSpan = random.next() | 1
    }

    var isSampled: Bool { trace.isSampled }

    /// The right-most 56 bits of the trace id, which decide about sampling ratios.
    var randomness: UInt64 { trace.traceID.low & 0x00FF_FFFF_FFFF_FFFF }

    func texts() -> [[UInt8]] {
        var spans = timeline.exchanges.flatMap { exchange in [span { write(exchange, to: &$0) }] + served(exchange) }
        if includesCall { spans.append(span { writeCall(to: &$0) }) }
        return spans
    }

    private func span(_ body: (inout JSONOutput) -> Void) -> [UInt8] {
        var output = JSONOutput()
        output.object(nil, body)
        return output.take()
    }

    private func write(_ exchange: CallTimeline.Exchange, to output: inout JSONOutput) {
        let labels = HTTPLabels(exchange, template: timeline.record.template)
        let method = labels.method == "_OTHER" ? "HTTP" : labels.method
        let name = timeline.record.template.map { "\(method) \($0)" } ?? method
        let parent = includesCall ? callSpan : trace.parentID
        header(id(of: exchange), parent, name, kind: 3, exchange.start, exchange.end, to: &output)
        OTLPResource.write(labels.labels + more(exchange, labels), to: &output)
        if let link = timeline.record.link {
            // The caller's trace context, which the request's own trace has replaced.
            output.array("links", of: [link]) { output, link in
                output.object { output in
                    output.member("traceId", link.traceIDText)
                    output.member("spanId", TraceContext.hex(link.parentID))
                }
            }
        }
        let isCancelled = exchange.result?.result == .cancelled
        status(labels.errorType == nil || isCancelled ? nil : exchange.result?.code.map { "\($0)" } ?? "", to: &output)
    }

    private func id(of exchange: CallTimeline.Exchange) -> UInt64 {
        // A field set by the caller names the caller's span as parent, not this one.
        if let sent = TraceContext(exchange.request.headers), sent.parentID != trace.parentID { return sent.parentID }
        var random = SplitMix64(seed: callSpan &+ UInt64(exchange.number) &* 0x9E37_79B9)
        return random.next() | 1
    }

    /// Spans of what the server says of its work, below the exchange.
    private func served(_ exchange: CallTimeline.Exchange) -> [[UInt8]] {
        let parent = id(of: exchange)
        var random = SplitMix64(seed: parent)
        return exchange.serverTimings.compactMap { timing in
            guard let (start, end) = exchange.span(of: timing) else { return nil }
            let id = random.next() | 1
            return span { output in
                header(id, parent, "server.\(timing.name)", kind: 1, start, end, to: &output)
                let description = timing.description.map { ("corenetkit.server_timing.description", $0) }
                OTLPResource.write([description].compactMap(\.self), to: &output)
                status(nil, to: &output)
            }
        }
    }

    private func more(_ exchange: CallTimeline.Exchange, _ labels: HTTPLabels) -> [(String, String)] {
        var more = [("url.full", exchange.request.url)]
        if labels.method == "_OTHER" { more.append(("http.request.method_original", exchange.request.method.rawValue)) }
        if exchange.number > 1 { more.append(("http.request.resend_count", String(exchange.number - 1))) }
        if let address = exchange.timings?.remoteAddress {
            more.append(("network.peer.address", HAREntry.host(of: address)))
            if let port = address.split(separator: ":").last.flatMap({ Int($0) }) {
                more.append(("network.peer.port", String(port)))
            }
        }
        more.append(("corenetkit.cause", "\(exchange.request.cause)"))
        if let socket = exchange.result?.socket { more += Self.attributes(of: socket) }
        return more
    }

    private static func attributes(of socket: CallEvent.SocketEnd) -> [(String, String)] {
        var attributes = [
            ("corenetkit.socket.close_code", String(socket.closeCode)),
            ("corenetkit.socket.closed_by", socket.isClosedByPeer ? "peer" : "client"),
            ("corenetkit.socket.messages.received", String(socket.messagesReceived)),
            ("corenetkit.socket.messages.sent", String(socket.messagesSent)),
            ("corenetkit.socket.bytes.received", String(socket.bytesReceived)),
            ("corenetkit.socket.bytes.sent", String(socket.bytesSent)),
            ("corenetkit.socket.reconnects", String(socket.reconnects)),
        ]
        if let ping = socket.latestPing { attributes.append(("corenetkit.socket.ping", ping.milliseconds)) }
        return attributes
    }

    private func writeCall(to output: inout JSONOutput) {
        let record = timeline.record
        let request = timeline.request
        let method = request.map { CallStatistics.Method($0.method).name }
        let error = record.failure.map { "\($0.code)" }
        let name = ["call", method, record.template].compactMap(\.self).joined(separator: " ")
        header(callSpan, trace.parentID, name, kind: 1, .zero, timeline.end, to: &output)
        let attributes = [
            ("corenetkit.outcome", "\(CallStatistics.Outcome(record.outcome))"), ("http.request.method", method),
            ("url.template", record.template), ("url.full", request?.url), ("error.type", error),
        ]
        OTLPResource.write(attributes.compactMap { name, value in value.map { (name, $0) } }, to: &output)
        output.array("events") { output in
            for wait in timeline.waits {
                event("wait \(wait.wait.kind)", wait.start, to: &output)
                event("wait \(wait.wait.kind) ended", wait.end, to: &output)
            }
            for (time, outcome) in timeline.cache { event("cache \(outcome.kind)", time, to: &output) }
        }
        status(error, to: &output)
    }

    private func event(_ name: String, _ time: Duration, to output: inout JSONOutput) {
        output.object { output in
            output.member("timeUnixNano", WallTime.of(time, in: timeline.record).unixNanoseconds)
            output.member("name", name)
        }
    }

    private func header(
        _ id: UInt64,
        _ parent: UInt64,
        _ name: String,
        kind: Int,
        _ start: Duration,
        _ end: Duration,
        to output: inout JSONOutput
    ) {
        output.member("traceId", trace.traceIDText)
        output.member("spanId", TraceContext.hex(id))
        if parent != 0 { output.member("parentSpanId", TraceContext.hex(parent)) }
        if let state = trace.state { output.member("traceState", state) }
        output.member("flags", 0x100 | trace.flags)
        output.member("name", name)
        output.member("kind", kind)
        output.member("startTimeUnixNano", WallTime.of(start, in: timeline.record).unixNanoseconds)
        output.member("endTimeUnixNano", WallTime.of(max(end, start), in: timeline.record).unixNanoseconds)
    }

    private func status(_ error: String?, to output: inout JSONOutput) {
        output.object("status") { output in
            guard let error else { return }
            output.member("code", 2)
            if !error.isEmpty { output.member("message", error) }
        }
    }
}
