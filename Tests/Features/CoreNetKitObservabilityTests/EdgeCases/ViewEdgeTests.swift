import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitObservability
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Edge cases of the views", .timeLimit(.minutes(10)), .paced)
struct ViewEdgeTests {
    private func entry(
        _ timings: TransportTimings,
        _ headers: Headers = [:],
        _ text: String = "{}",
        status: Int = 200,
        method: HTTPMethod = .get,
        taking milliseconds: Int = 100
    ) async throws -> Json {
        let stage = try Stage()
        let request = TransportRequest(method: method, url: url("http://a.test/"))
        let response = Samples.response(status, timings, headers, text)
        stage.exchange(request, response, in: stage.context(), taking: milliseconds)
        return try #require(try await stage.end().entries().first)
    }

    @Test("a reused connection: look-up, connect and TLS are -1, not 0; a new one without time for them has 0")
    func reused() async throws {
        let reused = try await entry(.reused())
        for name in ["dns", "connect", "ssl"] { #expect(reused["timings"]?[name]?.int == -1, "\(name)") }
        var timings = TransportTimings.fresh()
        timings.resolve = .zero
        #expect(try await entry(timings)["timings"]?["dns"]?.int == 0)
    }

    @Test("parts on another clock that exceed the whole: the last part is clipped, none is negative")
    func sums() async throws {
        let stage = try Stage()
        let request = TransportRequest(url: url("http://a.test/"))
        stage.exchange(request, Samples.response(200, .fresh(total: 500)), in: stage.context(), taking: 100)
        let record = try await stage.end()
        let entry = try #require(try record.entries().first)
        let parts = ["blocked", "dns", "connect", "send", "wait", "receive"].map {
            entry["timings"]?[$0]?.double ?? .nan
        }
        #expect(parts.allSatisfy { $0 >= 0 })
        #expect(abs(parts.reduce(0, +) - (entry["time"]?.double ?? 0)) < 0.0005)
        // In the picture no bar leaves the call.
        let slices = try Json(parsing: TraceEvents.data(of: [record]))["traceEvents"]?.array ?? []
        let times = slices.compactMap { $0["ts"]?.int }
        let whole = slices.filter { $0["cat"]?.string == "call" }.compactMap { $0["ts"]?.int }
        #expect(times.allSatisfy { $0 >= whole[0] && $0 <= whole[1] })
    }

    @Test("a stream is received while its reader reads, whatever the transport knew when its head came")
    func streamed() async throws {
        let stage = try Stage()
        let place = try #require(stage.context().beginExchange(TransportRequest(url: url("http://a.test/"))))
        stage.pass(20)
        let body = ResponseBody.stream(ResponseStream(next: { nil }, cancel: {}))
        let response = TransportResponse(status: 200, body: body, url: url("http://a.test/"), timings: .reused())
        stage.recording.receive(response, at: place)
        let open = OpenExchange(stage.recording, at: place)
        stage.recording.finish(.completed)
        stage.pass(500)
        open.end()
        let record = try await stage.record()
        let entry = try #require(try record.entries().first)
        #expect(entry["timings"]?["wait"]?.int == 15)
        #expect(entry["timings"]?["receive"]?.int == 505)
        #expect(record.waterfall.contains("rrrr"))
    }

    @Test("the wall clock jumps during a call: one reading for the call, the rest by the clock that does not jump")
    func wallClock() async throws {
        let readings = Locked(0)
        let date: @Sendable () -> Date = {
            readings.withLock { count in
                count += 1
                return Date(timeIntervalSince1970: count == 1 ? 1_767_225_600 : 0)
            }
        }
        let scene = Scene(date: date) { mock in
            let late = MockResponse.text("late").delayed(by: .seconds(2))
            mock.on(.get, "/**", .status(503, headers: ["Retry-After": "1"]), late)
        }
        let retrying = scene.client.retry()
        let call = Task { try await scene.get("http://a.test/", retrying) }
        try await scene.mock.waitForRequests(1)
        try await scene.clock.advanceToNextSleeper()
        try await scene.mock.waitForRequests(2)
        try await scene.clock.advanceToNextSleeper()
        _ = try await call.value

        let record = try #require(await scene.records().first)
        #expect(CallGrammar.problems(in: record) == [])
        let starts = try record.entries().compactMap { $0["startedDateTime"]?.string }
        #expect(starts.count == 2)
        #expect(starts.allSatisfy { $0.hasPrefix("2026-01-01T00:00:0") })
        let spans = try record.spans()
        for span in spans {
            let (start, end) = (span["startTimeUnixNano"]?.string ?? "", span["endTimeUnixNano"]?.string ?? "")
            #expect(start.hasPrefix("17672256") && start <= end)
        }
    }

    @Test("a redirect to another origin: two exchanges, the second resent, no credentials or trace on the foreign hop")
    func redirect() async throws {
        let scene = Scene { mock in
            mock.on(.get, "/here", .status(302, headers: ["Location": "https://b.test/there"]))
            mock.on(.get, "/there", .text("there"))
        }
        let own = Origin(url("https://a.test"))
        let client = scene.client.trace(TracePolicy(to: [own]))
        let chain: Chain<Void, String> = UrlChainsBuilder(client: client)
            .set(metadata: [
                "Authorization": "Bearer \(Samples.canary)",
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            ])
            .route(.get, "https://a.test/here")
            .build()
        #expect(try await chain.process() == "there")

        let record = try #require(await scene.records().first)
        #expect(CallGrammar.problems(in: record) == [])
        let entries = try record.entries()
        #expect(entries.count == 2)
        #expect(entries[0]["response"]?["redirectURL"]?.string == "https://b.test/there")
        #expect(try record.spans().map { $0.attribute("http.request.resend_count") } == [nil, "1"])
        let names = entries[1]["request"]?["headers"]?.array?.compactMap { $0["name"]?.string?.lowercased() } ?? []
        #expect(!names.contains("authorization") && !names.contains("traceparent"))
        #expect(record.curl?.contains("uthorization") == false)
        for (name, view) in record.views { #expect(!view.contains(Samples.canary), "\(name)") }
    }

    @Test(
        "204, 304, HEAD and an interim response: no content, no unnamed type, a body of 0 and not -1",
        arguments: [(HTTPMethod.get, 204), (.get, 304), (.head, 200)]
    )
    func empty(method: HTTPMethod, status: Int) async throws {
        let entry = try await entry(.reused(), ["Content-Length": "500"], "", status: status, method: method)
        #expect(entry["response"]?["content"]?["size"]?.int == 0)
        #expect(entry["response"]?["content"]?["mimeType"]?.string == "")
        #expect(entry["response"]?["bodySize"]?.int == 0)
    }

    @Test("an interim response on the wire is not an exchange")
    func interim() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.on(.get, "/x", .raw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"))
        let recorder = CallRecorder()
        let client = Client().record(in: recorder)
        try await UrlChainsBuilder(client: client).route(.get, server.url("/x")).build().process()
        await client.flushRecords()
        let record = try #require(recorder.last)
        #expect(CallGrammar.problems(in: record) == [])
        #expect(try record.entries().map { $0["response"]?["status"]?.int } == [204])
    }

    @Test("decompressed content: its size as decoded, the body's as sent, the difference, the field unchanged")
    func compressed() async throws {
        let headers: Headers = ["Content-Encoding": "gzip", "Content-Length": "10"]
        let entry = try await entry(.reused(), headers, "0123456789abcdef")
        let response = try #require(entry["response"])
        #expect(response["content"]?["size"]?.int == 16)
        #expect(response["bodySize"]?.int == 10)
        #expect(response["content"]?["compression"]?.int == 6)
        let field = response["headers"]?.array?.first { $0["name"]?.string == "Content-Encoding" }
        #expect(field?["value"]?.string == "gzip")
    }

    @Test("field bytes outside UTF-8, repeated Set-Cookie, empty values: nothing is lost or joined")
    func oddFields() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        var head = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Name: caf".utf8)
        head += Data([0xE9]) + Data("\r\nX-Empty:\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n".utf8)
        server.on(.get, "/x", .raw(head))
        let recorder = CallRecorder()
        let client = Client().record(in: recorder)
        try await UrlChainsBuilder(client: client).route(.get, server.url("/x")).build().process()
        await client.flushRecords()
        let fields = try #require(recorder.last?.entries().first?["response"]?["headers"]?.array)
        func values(_ name: String) -> [String] {
            fields.filter { $0["name"]?.string == name }.compactMap { $0["value"]?.string }
        }
        #expect(values("X-Name") == ["caf\u{E9}"])
        #expect(values("X-Empty") == [""])
        #expect(values("Set-Cookie").count == 2)
    }

    @Test("an IPv6 host, a default port, user info, an encoded secret, other case, a fragment: in every view")
    func oddURL() async throws {
        let secret = Samples.canary
        let address = "https://u:\(secret)@[::1]:443/a?%74oken=\(secret)&Access_Token=\(secret)&page=2#\(secret)"
        let scene = Scene { $0.on(.get, "/a", .text("in")) }
        _ = try await scene.get(address)
        let record = try #require(await scene.records().first)
        for (name, view) in record.views {
            #expect(!view.contains(secret), "\(name)")
            if name != "metrics" { #expect(view.contains("[::1]"), "\(name)") }
        }
        let shown = try #require(try record.entries().first?["request"]?["url"]?.string)
        #expect(shown.contains("page=2") && !shown.contains("#"))
        let span = try #require(try record.spans().first)
        #expect(span.attribute("server.address") == "::1")
        #expect(span.attribute("server.port") == "443")
    }

    @Test("a server's markup, terminal escapes and line breaks are plain text in page, JSON, log, label and shell")
    func hostileText() async throws {
        let hostile = "</script><img src=x onerror=a>\u{1B}[31m"
        let scene = Scene { mock in
            mock.on(
                .get,
                "/**",
                MockResponse.json(#"{"message":"</script>\u001b[31m"}"#, status: 500)
                    .header("Server-Timing", "db;dur=1;desc=\"</script>\"")
                    .header("X-Text", "</script>")
            )
        }
        await #expect(throws: NetworkError.self) { try await scene.get("http://a.test/") }
        let stage = try Stage()
        stage.context().record(.error, "Own", "\(hostile)\nnext line")
        for record in [try #require(await scene.records().first), try await stage.end()] {
            for (name, view) in record.views {
                #expect(!view.contains("\u{1B}"), "\(name)")
                // Its own two, of the data and of the script.
                if name == "page" {
                    #expect(view.components(separatedBy: "</script>").count == 3 && !view.contains("<img"))
                }
            }
            #expect(LogTree(record, level: .debug).lines.allSatisfy { !$0.message.contains("\n") })
            _ = try record.entries()
        }
    }
}
