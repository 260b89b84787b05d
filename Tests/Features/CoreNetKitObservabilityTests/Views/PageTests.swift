import CoreNetKitObservability
import TestSupport

@Suite("The calls page", .timeLimit(.minutes(10)), .paced)
struct PageElementTests {
    private static let open = NetworkError(.circuitOpen, "the server has failed too often", node: "BreakerNode")

    /// What is open where tags do not fit; empty where each one is closed.
    private func unclosed(_ html: String) -> [String] {
        var open: [String] = []
        for piece in html.components(separatedBy: "<").dropFirst() {
            let tag = piece.prefix { $0 != ">" && $0 != " " && $0 != "\n" }
            if tag.hasPrefix("!") || ["meta", "br", "hr", "link", "img", "input"].contains(String(tag)) { continue }
            if tag.hasPrefix("/") {
                guard open.last == String(tag.dropFirst()) else { return open + [String(tag)] }
                open.removeLast()
            } else {
                open.append(String(tag))
            }
        }
        return open
    }

    @Test("closes each element, and its legend names every part of a bar")
    func elements() async throws {
        let records = [try await Samples.record(), try await Samples.failure(Self.open)]
        let page = try ShownPage(records, title: "A <b> & \"c\" 'd'")
        #expect(unclosed(page.markup) == [])
        #expect(unclosed("<p>a") == ["p"] && unclosed("<p>a</b>") == ["p", "/b"] && unclosed("<p>a<br></p>") == [])
        #expect(page.markup.contains("<title>A &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;</title>"))
        for text in ["policy wait", "open, part unknown", "cache", "wait", "receive"] {
            #expect(page.markup.contains("\(text)</li>"), "the legend has \(text)")
        }
        for id in ["search", "failed", "slow", "status", "host", "list", "details", "axis"] {
            #expect(page.markup.contains("id=\"\(id)\""), "\(id)")
        }
    }

    @Test("its policy allows one script and one style sheet, those of the page, and no loading")
    func policy() async throws {
        let page = try ShownPage([try await Samples.record()])
        func hash(_ text: String) -> String { "'sha256-\(Data(SHA256.digest(text.utf8)).base64EncodedString())'" }
        #expect(
            page.markup.contains(
                "content=\"default-src 'none'; script-src \(hash(page.script)); style-src \(hash(page.style)); "
                    + "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'\""
            )
        )
        // One of data, one that runs.
        #expect(page.markup.components(separatedBy: "<script").count == 3)
        for word in ["http-equiv=\"refresh\"", " src=", " style=", " onclick", "url(", "@import"] {
            #expect(!page.markup.contains(word) && !page.style.contains(word), "\(word)")
        }
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("] {
            #expect(!page.script.contains(word), "\(word) makes markup or script of texts")
        }
        // What would end the elements that they are in.
        #expect(!page.script.contains("</") && !page.script.contains("<!--") && !page.style.contains("</"))
    }

    @Test(
        "a server's text is data in it, whatever it looks like",
        arguments: ["</script><script>alert(1)</script>", "<!--<script>", "\u{2028}\u{202E}\u{1B}[31m", #"\u003c"]}"#]
    )
    func hostile(text: String) async throws {
        let stage = try Stage(bodies: true)
        let call = stage.context()
        let headers: Headers = ["Content-Type": "application/json", "X-Said": text]
        call.note(.requestBuilt(method: .get, url: "http://a.test/\(text)", headers: headers))
        let json = try Json(["said": Json(text)]).text()
        stage.exchange(Samples.request, Samples.response(500, .fresh(), headers, json), in: call)
        call.record(.warning, "Own", text)
        let error = NetworkError(.unacceptableStatus, text, node: "StatusNode")
        let page = try ShownPage([try await stage.end(.failed(.init(error)))], title: text)
        let start = try #require(page.html.range(of: "id=\"data\">"))
        let end = try #require(page.html[start.upperBound...].range(of: "</script>"))
        #expect(!page.html[start.upperBound..<end.lowerBound].contains("<"))
        #expect(unclosed(page.markup) == [])
        let exchange = try #require(page.calls.first?["x"]?[0])
        #expect(page.texts(exchange["a"]).contains { $0.hasPrefix("X-Said: ") })
        for scalar in ["\u{1B}", "\u{202E}", "\u{2028}"] { #expect(!page.html.contains(scalar)) }
        let content = try #require(page.text(exchange["c"]))
        if !text.contains("\u{1B}") { #expect(try Json(parsing: content)["said"]?.string == text) }
    }

    @Test("shows a call's waits, attempts, exchanges with their parts, facts and fields, in time order")
    func story() async throws {
        let page = try ShownPage([try await Samples.record()])
        let call = try #require(page.calls.first)
        #expect(page.text(call["m"]) == "POST" && call["s"]?.int == 200 && call["z"]?.int == 2)
        #expect(call["d"]?.int == 220_000)
        let rows = call["r"]?.array ?? []
        #expect(
            rows.compactMap { page.text($0[1]) } == [
                "wait: place", "attempt 1", "#1 first", "wait: backoff", "attempt 2", "#2 retry", "#3 redirect",
                "Own",
            ]
        )
        #expect(page.text(rows.last?[2])?.hasPrefix("warning: Authorization: REDACTED") == true)
        #expect(page.text(rows[0][2]) == "2 ahead")
        let parts = page.parts(rows[2])
        #expect(parts.map(\.kind) == ["open", "queue", "resolve", "connect", "tls", "send", "wait", "receive"])
        #expect(parts.first { $0.kind == "tls" }?.length == 20_000)
        #expect(rows.map { $0[3]?.int ?? 0 } == rows.map { $0[3]?.int ?? 0 }.sorted())
        let exchanges = call["x"]?.array ?? []
        #expect(exchanges.compactMap { page.text($0["l"]) } == ["#1 503", "#2 retry 302", "#3 redirect 200"])
        #expect(page.facts(exchanges[0])["connection"] == "3, new" && page.facts(exchanges[1])["attempt"] == "2")
        #expect(page.texts(exchanges[0]["q"]).contains("Authorization: Bearer REDACTED"))
        #expect(page.texts(exchanges[0]["a"]).contains("Retry-After: 1"))
        #expect(page.text(exchanges[0]["c"]) == #"{"token":"REDACTED"}"#)
    }

    @Test("names type and size of content that is not recorded")
    func unrecorded() async throws {
        let png = Samples.response(200, .fresh(), ["Content-Type": "image/png"], "s3cret")
        let page = try ShownPage([try await Samples.exchanges(png, for: TransportRequest(url: url("http://a.test/")))])
        let facts = page.facts(try #require(page.calls[0]["x"]?[0]))
        #expect(facts["response content"] == "(image/png, 6 bytes: not shown)" && facts["request content"] == nil)
    }

    @Test("its commands are the record's")
    func commands() async throws {
        let record = try await Samples.record()
        let page = try ShownPage([record])
        let exchanges = page.calls.first?["x"]?.array ?? []
        #expect(exchanges.map { page.command($0) } == record.sent.map { CurlCommand($0).description })
        #expect(exchanges.count == 3)
    }

    @Test("a call without a status has a word instead")
    func words() async throws {
        let page = try ShownPage([try await Samples.failure(Self.open)])
        let call = try #require(page.calls.first)
        #expect(page.text(call["w"]) == "circuitOpen" && call["s"] == nil && call["o"]?.int == 1)
        #expect(page.text(call["f"]) == "circuitOpen in BreakerNode: the server has failed too often")
        let stage = try Stage()
        stage.context().note(.requestBuilt(method: .get, url: "http://a.test/", headers: [:]))
        let cancelled = try ShownPage([try await stage.end(.cancelled)])
        #expect(cancelled.text(cancelled.calls[0]["w"]) == "cancelled" && cancelled.calls[0]["o"]?.int == 2)
        #expect(try ShownPage([]).calls == [])
    }
}

@Suite("The size of the calls page", .timeLimit(.minutes(10)), .paced)
struct PageSizeTests {
    private func record(_ number: Int, content: String, fails: Bool = false) async throws -> CallRecord {
        let stage = try Stage(call: UInt64(number + 1), bodies: true)
        let call = stage.context()
        let trace = "00-" + String(repeating: "0", count: 24) + String(1_000_000_00 + number) + "-00f067aa0ba902b7-01"
        let sent: Headers = [
            "Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "CoreNetKit", "traceparent": trace,
        ]
        let target = url("https://shop.example/users/\(number)/orders?page=\(number % 7)")
        call.note(.requestBuilt(method: .get, url: target.absoluteString, headers: sent))
        stage.pass(number % 90)
        let received: Headers = [
            "Content-Type": "application/json", "Date": "Mon, 23 Nov 2026 08:00:\(10 + number % 50) GMT",
            "Server": "nginx", "ETag": "\"\(number)\"",
        ]
        let time = 60 + number % 40
        let response = Samples.response(fails ? 500 : 200, .fresh(total: time), received, content)
        stage.exchange(TransportRequest(url: target, headers: sent), response, in: call, taking: time)
        let error = NetworkError(.unacceptableStatus, "500", node: "StatusNode")
        return try await stage.end(fails ? .failed(.init(error)) : .completed)
    }

    @Test("a call with fields, trace and content takes at most 600 bytes, so that 5 000 are less than 3 MB")
    func many() async throws {
        var records: [CallRecord] = []
        for number in 0..<500 { records.append(try await record(number, content: #"{"id":\#(number),"name":"Ada"}"#)) }
        let page = try ShownPage(records)
        let empty = CallPage([]).html.utf8.count
        #expect(page.calls.count == 500 && empty < 50_000)
        #expect(page.html.utf8.count - empty <= 295_000, "\(page.html.utf8.count - empty) for 500 calls")
        #expect(page.text(page.calls[432]["x"]?[0]?["c"]) == #"{"id":432,"name":"Ada"}"#)
    }

    @Test("contents that do not fit are omitted, the oldest first, those of failures last, and the page says so")
    func contents() async throws {
        let long = String(repeating: "x", count: 60_000)
        var records: [CallRecord] = []
        for number in 0..<40 {
            records.append(try await record(number, content: #"["\#(number)\#(long)"]"#, fails: number == 3))
        }
        let page = try ShownPage(records)
        #expect(page.html.utf8.count < 1_300_000)
        let hasContent = page.calls.map { $0["x"]?[0]?["c"] != nil }
        #expect(hasContent[3] && hasContent[39] && !hasContent[0] && !hasContent[4])
        let facts = page.facts(try #require(page.calls[0]["x"]?[0]))
        #expect(facts["response content"] == "60005 bytes, no room for it on this page: it is in the archive")
        #expect(page.facts(try #require(page.calls[39]["x"]?[0]))["response content"] == nil)
    }
}
