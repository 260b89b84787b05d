import CoreNetKitObservability
import TestSupport

/// Records that the views are tried on.
enum Samples {
    static let canary = "s3cretCANARY"

    static let request = TransportRequest(
        method: .post,
        url: url("https://u:\(canary)@shop.example:8443/orders/7?token=\(canary)&page=2#\(canary)"),
        headers: ["Authorization": "Bearer \(canary)", "Cookie": "sid=\(canary)", "Content-Type": "application/json"],
        body: .bytes(Data(#"{"password":"\#(canary)","item":"it's"}"#.utf8))
    )

    static func response(_ status: Int, _ timings: TransportTimings, _ headers: Headers = [:], _ text: String = "{}")
        -> TransportResponse
    {
        let body = ResponseBody.bytes(Data(text.utf8))
        return TransportResponse(status: status, headers: headers, body: body, url: request.url, timings: timings)
    }

    /// A wait for a place, a refused attempt, a back-off, a redirect and a success, with secrets wherever they fit.
    static func record() async throws -> CallRecord {
        let stage = try Stage(call: 7, bodies: true)
        let call = stage.context()
        call.note(.requestBuilt(method: .post, url: request.url.absoluteString, headers: request.headers))
        await call.waiting(for: .init(.concurrency, ahead: 2)) { stage.pass(30) }
        call.note(.attemptStarted)
        let headers: Headers = ["Retry-After": "1", "Content-Type": "application/json"]
        let busy = response(503, .fresh(total: 100), headers, #"{"token":"\#(canary)"}"#)
        stage.exchange(request, busy, in: call, taking: 100)
        call.note(.attemptEnded(.init(status: 503, code: .unacceptableStatus)))
        call.note(.retryDecided(.init(true, after: .unacceptableStatus, delay: .milliseconds(50))))
        await call.waiting(for: .init(.backoff, planned: .milliseconds(50), askedByServer: .seconds(1))) {
            stage.pass(50)
        }
        let again = stage.context(attempt: 2, depth: 1)
        again.note(.attemptStarted)
        let target = "/orders/8?code=\(canary)#\(canary)"
        stage.exchange(request, response(302, .reused(), ["Location": target]), in: again, taking: 20)
        again.note(.redirectDecided(.init(status: 302, target: target)))
        let moved = TransportRequest(url: url("https://shop.example/orders/8?code=\(canary)"))
        let fields: Headers = [
            "Set-Cookie": "sid=\(canary); Path=/", "Server-Timing": "db;desc=\"</script>\u{1B}[31m\"",
        ]
        stage.exchange(moved, response(200, .reused(), fields), in: again, taking: 20)
        again.note(.attemptEnded(.init(status: 200)))
        again.record(.warning, "Own", "Authorization: Bearer \(canary) </script>\nnext")
        return try await stage.end()
    }

    /// The record of a call with these exchanges of one request.
    static func exchanges(
        _ responses: TransportResponse...,
        for request: TransportRequest = request,
        taking milliseconds: Int = 10
    ) async throws -> CallRecord {
        let stage = try Stage()
        for response in responses { stage.exchange(request, response, in: stage.context(), taking: milliseconds) }
        return try await stage.end()
    }

    static func failure(_ error: NetworkError) async throws -> CallRecord {
        let stage = try Stage(call: 8)
        stage.context().note(.requestBuilt(method: .get, url: "http://a.test/?token=\(canary)", headers: [:]))
        return try await stage.end(.failed(.init(error)))
    }
}

/// A page as its own script reads it.
struct ShownPage {
    let html: String
    let data: Json
    let script: String
    let style: String
    /// The page without data, script and style sheet.
    let markup: String

    init(_ html: String) throws {
        self.html = html
        func cut(_ open: String, _ close: String) throws -> Substring {
            let start = try #require(html.range(of: open))
            let end = try #require(html[start.upperBound...].range(of: close))
            return html[start.upperBound..<end.lowerBound]
        }
        let text = try cut("<script type=\"application/json\" id=\"data\">", "</script>")
        data = try Json(parsing: String(text))
        script = String(try cut("<script>", "</script>"))
        style = String(try cut("<style>", "</style>"))
        markup = html.replacing(text, with: "").replacing(script, with: "").replacing(style, with: "")
    }

    init(_ records: [CallRecord], title: String = "Calls") throws {
        try self.init(CallPage(records, title: title).html)
    }

    var calls: [Json] { data["calls"]?.array ?? [] }

    func text(_ number: Json?) -> String? { number?.int.flatMap { data["texts"]?[$0]?.string } }

    func texts(_ numbers: Json?) -> [String] { (numbers?.array ?? []).compactMap { text($0) } }

    func facts(_ exchange: Json) -> [String: String] {
        let words = texts(exchange["f"])
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }
        )
    }

    /// The parts of a row: kind, start and length in microseconds.
    func parts(_ row: Json) -> [(kind: String, start: Int, length: Int)] {
        let numbers = (row[5]?.array ?? []).compactMap(\.int)
        return stride(from: 0, to: numbers.count, by: 3).map { at in
            (data["kinds"]?[numbers[at]]?[0]?.string ?? "", numbers[at + 1], numbers[at + 2])
        }
    }

    /// The command as the script puts it together.
    func command(_ exchange: Json) -> String {
        let lines = (exchange["k"]?.array ?? []).compactMap(\.int).map { line in
            if line == -1 { return "'\(text(exchange["u"]) ?? "")'" }
            if line < -1 { return "--header '\(text(exchange["q"]?[-2 - line]) ?? "")'" }
            return text(Json(line)) ?? ""
        }
        return lines.joined(separator: " \\\n  ")
    }
}
