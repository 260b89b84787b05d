import CoreNetKitEssentials
public import CoreNetKitChain
import CoreNetKitHTTP

/// Calls as one HTML file: a waterfall to look at, without scripts and without any request to elsewhere.
///
/// It follows the reader's light or dark setting, opens and closes by keyboard, and says with letters and numbers what
/// it says with colour.
public struct CallPage: Sendable {
    /// The heading.
    public var title: String
    private let timelines: [CallTimeline]
    private let origin: Duration
    private let span: Duration

    /// Draws calls.
    ///
    /// - Parameters:
    ///   - records: The calls, in any order; all by the same clock.
    ///   - title: The heading.
    public init(_ records: [CallRecord], title: String = "Calls") {
        self.title = title
        timelines = records.sorted { ($0.startedOn, $0.call) < ($1.startedOn, $1.call) }.map { CallTimeline($0) }
        let origin = timelines.first?.record.startedOn ?? .zero
        self.origin = origin
        span = max(timelines.map { $0.record.startedOn + $0.end - origin }.max() ?? .zero, .nanoseconds(1))
    }

    /// The page as text.
    public var html: String {
        var html = HTMLOutput()
        html.raw(PageStyle.head)
        html.raw("<title>")
        html.text(title)
        html.raw("</title>\n<style>\(PageStyle.css)</style>\n</head>\n<body>\n<header><h1>")
        html.text(title)
        html.raw("</h1>\n<p>")
        html.text(summary)
        html.raw("</p>\n")
        legend(&html)
        html.raw("</header>\n<main>\n")
        for timeline in timelines { call(timeline, &html) }
        html.raw("</main>\n</body>\n</html>\n")
        return html.result
    }

    private var summary: String {
        let failed = timelines.count { if case .failed = $0.record.outcome { true } else { false } }
        let cancelled = timelines.count { if case .cancelled = $0.record.outcome { true } else { false } }
        let exchanges = timelines.map(\.exchanges.count).reduce(0, +)
        let start = timelines.first.map { ", from \(WallTime($0.record.startedAt).iso8601)" } ?? ""
        return "\(timelines.count) calls, \(exchanges) exchanges, \(failed) failed, \(cancelled) cancelled, "
            + "\(span.shortMilliseconds) ms\(start)"
    }

    private func legend(_ html: inout HTMLOutput) {
        html.raw("<ul class=\"legend\" aria-label=\"Legend\">")
        html.raw("<li><span class=\"key hold\">~</span> policy wait</li>")
        for kind in CallTimeline.Phase.Kind.allCases {
            html.raw("<li><span class=\"key \(kind.rawValue)\">\(kind.letter)</span> \(kind.name)</li>")
        }
        html.raw("<li><span class=\"key open\"></span> open, part unknown</li>")
        html.raw("<li><span class=\"key cache\">*</span> cache</li></ul>\n")
    }

    private func call(_ timeline: CallTimeline, _ html: inout HTMLOutput) {
        let record = timeline.record
        html.raw(
            "<details class=\"call \(record.outcome.word)\" id=\"call-\(record.call)\"\(isOpen(record) ? " open" : "")>\n<summary>"
        )
        html.raw("<span class=\"mark\">\(record.outcome.mark)</span> <span class=\"name\">")
        html.text(timeline.title)
        html.raw("</span> <span class=\"fact\">")
        html.text("\(record.outcome.word), \(record.duration.shortMilliseconds) ms, \(timeline.exchanges.count) sent")
        html.raw("</span>")
        let start = record.startedOn - origin
        html.raw("<span class=\"lane\" aria-hidden=\"true\">")
        bar("whole", "", from: start, to: start + timeline.end, over: span, &html)
        html.raw("</span></summary>\n")
        if case .failed(let failure) = record.outcome {
            html.raw("<p class=\"failure\">")
            html.text("\(failure)")
            html.raw("</p>\n")
        }
        table(timeline, &html)
        for exchange in timeline.exchanges { detail(exchange, &html) }
        html.raw("</details>\n")
    }

    private func isOpen(_ record: CallRecord) -> Bool {
        if timelines.count <= 20 { return true }
        if case .failed = record.outcome { return true }
        return false
    }

    private func table(_ timeline: CallTimeline, _ html: inout HTMLOutput) {
        let rows = PageRow.rows(of: timeline)
        guard !rows.isEmpty else { return }
        html.raw(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Waterfall of call \(timeline.record.call)\">"
        )
        html.raw(
            "<table>\n<colgroup><col class=\"what\"><col class=\"said\"><col class=\"ms\"><col class=\"ms\"><col></colgroup>\n"
        )
        html.raw("<thead><tr><th scope=\"col\">what</th><th scope=\"col\">outcome</th>")
        html.raw("<th scope=\"col\" class=\"number\">start ms</th><th scope=\"col\" class=\"number\">time ms</th>")
        html.raw("<th scope=\"col\">0 to ")
        html.text("\(max(timeline.end, .zero).shortMilliseconds) ms")
        html.raw("</th></tr></thead>\n<tbody>\n")
        for row in rows {
            html.raw("<tr class=\"row-\(row.kind)\"><th scope=\"row\">")
            html.text(row.name)
            html.raw("</th><td>")
            html.text(row.outcome)
            html.raw("</td><td class=\"number\">\(row.start.shortMilliseconds)</td>")
            html.raw(
                "<td class=\"number\">\(row.time.shortMilliseconds)</td><td><span class=\"lane\" aria-hidden=\"true\">"
            )
            for part in row.parts {
                bar(part.kind, part.letter, from: part.start, to: part.end, over: timeline.end, &html)
            }
            html.raw("</span>")
            if !row.numbers.isEmpty {
                html.raw("<span class=\"numbers\">")
                html.text(row.numbers)
                html.raw("</span>")
            }
            html.raw("</td></tr>\n")
        }
        html.raw("</tbody></table></div>\n")
    }

    private func bar(
        _ kind: String,
        _ letter: String,
        from start: Duration,
        to end: Duration,
        over span: Duration,
        _ html: inout HTMLOutput
    ) {
        let whole = max(span, .nanoseconds(1))
        let left = Self.percent(start / whole)
        let width = Self.percent(max(end - start, .zero) / whole)
        html.raw("<span class=\"bar \(kind)\" style=\"left:\(left)%;width:\(width)%\">\(letter)</span>")
    }

    private static func percent(_ share: Double) -> String {
        let share = share.isFinite ? min(max(share, 0), 1) : 0
        return millisecondsText(Int64((share * 100_000).rounded()))
    }

    private func detail(_ exchange: CallTimeline.Exchange, _ html: inout HTMLOutput) {
        html.raw("<details class=\"exchange\"><summary>")
        html.text("\(exchange.label): \(exchange.request.method) \(exchange.request.url)")
        html.raw("</summary>\n")
        let timings = exchange.timings
        let facts: [(String, String?)] = [
            ("attempt", "\(exchange.attempt)"), ("protocol", timings?.httpVersion.map { "HTTP/\($0)" }),
            ("address", timings?.remoteAddress), ("connection", timings?.connectionID.map { "\($0)" }),
            ("reused", timings?.isConnectionReused.map { $0 ? "yes" : "no" }),
            ("sent", timings?.bytesSent.map { "\($0) bytes" }),
            ("received", timings?.bytesReceived.map { "\($0) bytes" }),
            ("redirect", exchange.redirect?.target), ("socket", exchange.result?.socket.map { "\($0)" }),
            ("error", exchange.result?.message),
        ]
        html.raw("<dl>")
        for case (let name, let value?) in facts { html.pair(name, value) }
        html.raw("</dl>\n")
        fields("request fields", exchange.request.headers, &html)
        if let head = exchange.head { fields("response fields", head.headers, &html) }
        messages(exchange.messages, &html)
        html.raw("<pre tabindex=\"0\">")
        html.lines(CurlCommand(exchange.request).description)
        html.raw("</pre>\n</details>\n")
    }

    /// What went over a socket, where contents are kept.
    private func messages(
        _ messages: [(time: Duration, message: CallEvent.SocketMessage)],
        _ html: inout HTMLOutput
    ) {
        guard !messages.isEmpty else { return }
        html.raw("<pre tabindex=\"0\">")
        let lines = messages.map { time, message in
            let content = message.content.map { ": " + String(decoding: $0, as: UTF8.self).oneLine } ?? ""
            let kind = message.isText ? "text" : "binary"
            return
                "\(time.shortMilliseconds) ms \(message.isSent ? "out" : "in") \(kind) \(message.size) bytes\(content)"
        }
        html.lines(lines.joined(separator: "\n"))
        html.raw("</pre>\n")
    }

    private func fields(_ name: String, _ headers: Headers, _ html: inout HTMLOutput) {
        guard !headers.isEmpty else { return }
        html.raw("<h2>\(name)</h2><dl>")
        for field in headers { html.pair(field.name, String(field.value.prefix(2000))) }
        html.raw("</dl>\n")
    }
}

extension CallRecord.Outcome {
    fileprivate var word: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    fileprivate var mark: String {
        switch self {
        case .completed: "✓"
        case .failed: "✗"
        case .cancelled: "–"
        }
    }
}
