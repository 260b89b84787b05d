import CoreNetKitObservability
import TestSupport

@Suite("What servers say of their work", .timeLimit(.minutes(10)), .paced)
struct ServerTimingTests {
    private func text(_ timings: [ServerTiming]) -> [String] {
        timings.map { "\($0.exchange) \($0.name) \($0.duration.map { "\($0)" } ?? "-") \($0.description ?? "-")" }
    }

    private func response(_ lines: [String]) -> MockResponse {
        lines.reduce(MockResponse.text("x")) { $0.header("Server-Timing", $1) }
    }

    private func record(_ lines: [String]) async throws -> CallRecord {
        let scene = Scene { $0.on(.get, "/**", response(lines)) }
        _ = try await scene.get("http://a.test/")
        return try await scene.record()
    }

    @Test(
        "are read as the grammar has them, and what is not in it is ignored",
        arguments: [
            ([], []), (["cache"], ["1 cache - -"]), (["db;dur=53.25"], ["1 db 0.05325 seconds -"]),
            (
                [#"db ; DUR = 2 ; desc = "a, \"b\"; c" , app;desc=x"#],
                [#"1 db 0.002 seconds a, "b"; c"#, "1 app - x"]
            ),
            (["a;dur=1;dur=2;foo=3;desc"], ["1 a 0.001 seconds -"]),
            (["a;dur=0", "b"], ["1 a 0.0 seconds -", "1 b - -"]),
            (
                ["a;dur=x, b;dur=-1, c;dur=nan, d;dur=1e99, e;dur="],
                ["1 a - -", "1 b - -", "1 c - -", "1 d - -", "1 e - -"]
            ),
            ([";dur=1, =2, \"a\", b"], ["1 b - -"]), (["a, b;desc=\"open"], []),
        ] as [([String], [String])]
    )
    func grammar(lines: [String], expected: [String]) async throws {
        #expect(text(try await record(lines).serverTimings) == expected)
    }

    @Test("are bounded, however many and long they are")
    func bounded() async throws {
        let long = String(repeating: "x", count: 1000)
        let timings = try await record([(0..<100).map { "\(long)\($0);desc=\(long)" }.joined(separator: ",")])
            .serverTimings
        #expect(timings.count == 32)
        #expect(timings.allSatisfy { $0.name.count == 64 && $0.description?.count == 200 })
    }

    @Test("are rows of the page and child spans of their exchange, and end with it")
    func views() async throws {
        let line = "db;dur=5;desc=\"two </script>\", slow;dur=5000, cache;desc=hit"
        let scene = Scene { $0.on(.get, "/**", response([line]).delayed(by: .milliseconds(20))) }
        let call = Task { try await scene.get("http://a.test/") }
        try await scene.mock.waitForRequests(1)
        try await scene.clock.advanceToNextSleeper()
        _ = try await call.value
        let record = try await scene.record()
        let page = try ShownPage([record])
        let rows = page.calls.first?["r"]?.array ?? []
        let names = rows.map { page.text($0[1]) ?? "" }
        #expect(names.filter { $0.hasPrefix("server ") } == ["server db", "server slow"])
        let database = try #require(rows.first { page.text($0[1]) == "server db" })
        #expect(page.text(database[2]) == "two </script>" && database[4]?.int == 5000)
        #expect(rows.contains { page.text($0[6]) == "cache hit" })

        let spans = try record.spans()
        #expect(spans.map { $0["name"]?.string } == ["GET", "server.db", "server.slow"])
        #expect(Set(spans.compactMap { $0["spanId"]?.string }).count == 3)
        for span in spans.dropFirst() {
            #expect(span["parentSpanId"]?.string == spans[0]["spanId"]?.string)
            #expect(span["traceId"]?.string == spans[0]["traceId"]?.string)
            let (start, end) = (span["startTimeUnixNano"]?.string ?? "", span["endTimeUnixNano"]?.string ?? "")
            #expect(start >= spans[0]["startTimeUnixNano"]?.string ?? "x" && start <= end)
            #expect(end <= spans[0]["endTimeUnixNano"]?.string ?? "")
        }
        #expect(spans[1].attribute("corenetkit.server_timing.description") == "two </script>")
        #expect(spans[2].attribute("corenetkit.server_timing.description") == nil)
    }

    @Test("belong to the exchange that said them, over a socket too")
    func exchanges() async throws {
        let server = try LoopbackServer { request in
            guard request.target == "/first" else { return .text("x").header("Server-Timing", "second;dur=2") }
            return .status(302, headers: ["Location": "/second", "Server-Timing": "first;dur=1"])
        }
        let recorder = CallRecorder()
        let client = Client().record(in: recorder)
        #expect(try await client.text(server.url("/first").absoluteString) == "x")
        let record = try await recorder.last(of: client)
        #expect(text(record.serverTimings) == ["1 first 0.001 seconds -", "2 second 0.002 seconds -"])
    }
}
