import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

struct PageCall {
    let timeline: CallTimeline
    /// The start of the first call, in microseconds.
    let base: Int64
    /// Whether the page has room for its contents.
    let hasContents: Bool

    private var record: CallRecord { timeline.record }

    private var isFromCache: Bool {
        guard timeline.exchanges.isEmpty, let kind = timeline.cache.last?.outcome.kind else { return false }
        return kind == .hit || kind == .stale
    }

    /// The exchange whose response the caller got, or would have.
    private var last: CallTimeline.Exchange? {
        timeline.exchanges.last { $0.head != nil && $0.result?.result == .complete }
            ?? timeline.exchanges.last { $0.head != nil }
    }

    private var status: Int? {
        if let status = record.failure?.status ?? last?.head?.status { return status }
        return isFromCache ? timeline.cache.last?.outcome.status ?? 200 : nil
    }

    /// The word shown in place of a status.
    private var word: String? {
        if timeline.isRunning { return timeline.stage }
        return switch record.outcome {
        case .cancelled: "cancelled"
        case .failed(let failure): status == nil ? "\(failure.code)" : nil
        case .completed: status == nil && timeline.joined != nil ? "shared" : nil
        }
    }

    private var source: String? {
        if isFromCache { return "cache" }
        return timeline.exchanges.isEmpty && timeline.joined != nil ? "shared" : nil
    }

    func write(to output: inout JSONOutput, _ texts: inout PageTextTable) {
        let request = timeline.request
        output.member("i", digits: String(record.call))
        output.member("m", texts.line(request?.method.rawValue ?? ""))
        output.member("u", texts.line(request?.url ?? record.chain ?? "call"))
        if let template = record.template { output.member("t", texts.line(template)) }
        output.member("b", digits: String(record.startedOn.microseconds &- base))
        output.member("d", digits: String(max(record.duration.microseconds, 0)))
        if timeline.end > record.duration { output.member("e", digits: String(timeline.end.microseconds)) }
        if let status { output.member("s", status) }
        if let word { output.member("w", texts.line(word)) }
        if let size = last.flatMap({ $0.result?.bytesRead ?? $0.head?.bodySize }) { output.member("z", Int(size)) }
        if let source { output.member("v", texts.line(source)) }
        switch record.outcome {
        case _ where timeline.isRunning: output.member("o", 3)
        case .completed: break
        case .failed(let failure):
            output.member("o", 1)
            output.member("f", texts.line("\(failure)"))
        case .cancelled: output.member("o", 2)
        }
        let rows = PageRow.rows(of: timeline)
        if !rows.isEmpty { output.array("r", of: rows) { $1.write(to: &$0, &texts) } }
        guard !timeline.exchanges.isEmpty else { return }
        output.array("x", of: timeline.exchanges) { output, exchange in
            output.object { write(exchange, to: &$0, &texts) }
        }
    }

    private func write(_ exchange: CallTimeline.Exchange, to output: inout JSONOutput, _ texts: inout PageTextTable) {
        let request = exchange.request
        output.member("l", texts.line(exchange.label))
        output.member("m", texts.line(request.method.rawValue))
        output.member("u", texts.line(request.url))
        let facts = facts(of: exchange).flatMap { name, value in
            value.map { [texts.line(name), texts.line($0)] } ?? []
        }
        output.list("f", facts)
        let fields = request.headers.map { "\($0.name): \($0.value.prefix(2000))".oneLine }
        output.list("q", fields.map { texts.line($0) })
        if let head = exchange.head {
            output.list("a", head.headers.map { texts.line("\($0.name): \($0.value.prefix(2000))") })
        }
        if hasContents {
            if let body = request.body { output.member("b", texts.lines(String(decoding: body, as: UTF8.self))) }
            if let body = exchange.head?.body { output.member("c", texts.lines(String(decoding: body, as: UTF8.self))) }
        }
        if !exchange.messages.isEmpty {
            output.array("n", of: exchange.messages) { output, item in
                write(item.message, at: item.time, to: &output, &texts)
            }
        }
        output.list("k", command(request, fields, &texts))
    }

    private func write(
        _ message: CallEvent.SocketMessage,
        at time: Duration,
        to output: inout JSONOutput,
        _ texts: inout PageTextTable
    ) {
        output.array { output in
            output.member(nil, (message.isSent ? 1 : 0) + (message.isText ? 2 : 0) + (message.isCut ? 4 : 0))
            output.member(nil, digits: String(time.microseconds))
            output.member(nil, message.size)
            guard hasContents, let content = message.content else { return }
            output.member(nil, texts.lines(String(decoding: content, as: UTF8.self)))
        }
    }

    /// The command as lines; those that repeat the URL or a field refer to it.
    private func command(_ request: CallEvent.SentRequest, _ fields: [String], _ texts: inout PageTextTable) -> [Int] {
        let url = "'\(request.url)'"
        let headers = fields.map { "--header '\($0)'" }
        return CurlCommand(request).description.split(separator: CurlCommand.lineBreak).map { line in
            if line == url { return -1 }
            if let index = headers.firstIndex(where: { $0 == line }) { return -2 - index }
            return texts.lines(String(line))
        }
    }

    private func facts(of exchange: CallTimeline.Exchange) -> [(String, String?)] {
        let timings = exchange.timings
        let (sent, head) = (exchange.request, exchange.head)
        let sentSize = sent.bodyKind == .none ? 0 : sent.bodySize
        let isLeftOut = !hasContents && exchange.messages.contains { $0.message.content != nil }
        let receivedSize = exchange.isSocket || head == nil ? 0 : head?.bodySize ?? exchange.result?.bytesRead
        return [
            ("attempt", exchange.attempt > 1 ? "\(exchange.attempt)" : nil),
            ("protocol", timings?.httpVersion.map { "HTTP/\($0)" }),
            ("address", timings?.remoteAddress), ("connection", connection(timings)),
            ("sent", timings?.bytesSent.map { "\($0) bytes" }),
            ("received", timings?.bytesReceived.map { "\($0) bytes" }),
            ("redirect", exchange.redirect?.target), ("socket", exchange.result?.socket.map { "\($0)" }),
            ("error", exchange.result?.message),
            ("request content", remark(sent.body, sent.isBodyCut, sentSize, sent.headers)),
            ("response content", remark(head?.body, head?.isBodyCut == true, receivedSize, head?.headers)),
            ("messages", isLeftOut ? "no room for their contents on this page: they are in the archive" : nil),
        ]
    }

    private func connection(_ timings: TransportTimings?) -> String? {
        guard let number = timings?.connectionID else { return nil }
        return "\(number)" + (timings?.isConnectionReused.map { $0 ? ", reused" : ", new" } ?? "")
    }

    /// A remark on content that is incomplete, or not recorded.
    private func remark(_ body: Data?, _ isCut: Bool, _ size: Int64?, _ headers: Headers?) -> String? {
        guard let body else { return size == 0 ? nil : Redactor.omission(type: headers?["Content-Type"], size: size) }
        let whole = size.map { "\($0) bytes" } ?? "\(body.count) bytes or more"
        if !hasContents { return "\(whole), no room for it on this page: it is in the archive" }
        return isCut ? "only its beginning, of \(whole)" : nil
    }
}

extension PageRow {
    fileprivate func write(to output: inout JSONOutput, _ texts: inout PageTextTable) {
        output.array { output in
            output.member(nil, PageData.number(of: kind))
            output.member(nil, texts.line(name))
            output.member(nil, texts.line(outcome))
            output.member(nil, digits: String(start.microseconds))
            output.member(nil, digits: String(time.microseconds))
            output.array(of: parts) { output, part in
                output.member(nil, PageData.number(of: part.kind))
                output.member(nil, digits: String(part.start.microseconds))
                output.member(nil, digits: String(max(part.end - part.start, .zero).microseconds))
            }
            if let served { output.member(nil, texts.line(served)) }
        }
    }
}

extension JSONOutput {
    /// An array of numbers; an empty one is omitted.
    fileprivate mutating func list(_ name: StaticString, _ numbers: [Int]) {
        if !numbers.isEmpty { array(name, of: numbers) { $0.member(nil, $1) } }
    }
}
