import CoreNetKitObservability
import TestSupport

@Suite("Edge cases of the views", .timeLimit(.minutes(10)), .paced)
struct ViewEdgeTests {
    @Test("parts on another clock that exceed the whole: the last part is clipped, none is negative")
    func sums() async throws {
        let record = try await Samples.exchanges(Samples.response(200, .fresh(total: 500)), taking: 100)
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
        let scene = Scene(date: { Date(timeIntervalSince1970: readings.next() == 1 ? 1_767_225_600 : 0) }) { mock in
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

        let record = try await scene.record()
        let starts = try record.entries().compactMap { $0["startedDateTime"]?.string }
        #expect(starts.count == 2)
        #expect(starts.allSatisfy { $0.hasPrefix("2026-01-01T00:00:0") })
        for span in try record.spans() {
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

        let record = try await scene.record()
        let entries = try record.entries()
        #expect(entries.count == 2)
        #expect(entries[0]["response"]?["redirectURL"]?.string == "https://b.test/there")
        #expect(try record.spans().map { $0.attribute("http.request.resend_count") } == [nil, "1"])
        let names = entries[1]["request"]?["headers"]?.array?.compactMap { $0["name"]?.string?.lowercased() } ?? []
        #expect(!names.contains("authorization") && !names.contains("traceparent"))
        #expect(record.curl?.contains("uthorization") == false)
        for (name, view) in record.views { #expect(!view.contains(Samples.canary), "\(name)") }
    }

    /// The record of a call whose server sends these bytes.
    private func served(_ bytes: Data) async throws -> CallRecord {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.on(.get, "/x", .raw(bytes))
        let recorder = CallRecorder()
        let client = Client().record(in: recorder)
        try await UrlChainsBuilder(client: client).route(.get, server.url("/x")).build().process()
        return try await recorder.last(of: client)
    }

    @Test("an interim response on the wire is not an exchange")
    func interim() async throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
        let record = try await served(Data(interim.utf8))
        #expect(record.problems == [])
        #expect(try record.entries().map { $0["response"]?["status"]?.int } == [204])
    }

    @Test("field bytes outside UTF-8, repeated Set-Cookie, empty values: nothing is lost or joined")
    func oddFields() async throws {
        var head = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Name: caf".utf8)
        head += Data([0xE9]) + Data("\r\nX-Empty:\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n".utf8)
        let response = try #require(try await served(head).entries().first?["response"])
        let fields = response["headers"]?.array ?? []
        func values(_ name: String) -> [String] {
            fields.filter { $0["name"]?.string == name }.compactMap { $0["value"]?.string }
        }
        #expect(values("X-Name") == ["caf\u{E9}"])
        #expect(values("X-Empty") == [""])
        #expect(values("Set-Cookie").count == 2)
        #expect(response["cookies"]?.array?.map { $0["name"]?.string } == ["a", "b"])
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
        let reply = MockResponse.json(#"{"message":"</script>\u001b[31m"}"#, status: 500)
            .header("Server-Timing", "db;dur=1;desc=\"</script>\"").header("X-Text", "</script>")
        let scene = Scene { $0.on(.get, "/**", reply) }
        await #expect(throws: NetworkError.self) { try await scene.get("http://a.test/") }
        let stage = try Stage()
        stage.context().record(.error, "Own", "\(hostile)\nnext line")
        for record in [try #require(await scene.records().first), try await stage.end(), try await Samples.record()] {
            for (name, view) in record.views {
                #expect(!view.contains("\u{1B}"), "\(name)")
                // Its own two, of the data and of the script.
                if name == "page" {
                    #expect(view.components(separatedBy: "</script>").count == 3 && !view.contains("<img"))
                }
            }
            #expect(LogTree(record, level: .debug).lines.allSatisfy { !$0.message.contains("\n") })
            _ = try record.entries()
            _ = try Json(parsing: TraceEvents.data(of: [record]))
        }
    }
}
