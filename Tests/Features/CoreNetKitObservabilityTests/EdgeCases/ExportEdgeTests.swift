import CoreNetKitObservability
import TestSupport

@Suite("Edge cases of traces, metrics and cassettes", .timeLimit(.minutes(10)), .paced)
struct ExportEdgeTests {
    private static let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func call(_ fields: Headers) async throws -> (sent: MockRequest, record: CallRecord) {
        let scene = Scene { $0.on(.get, "/**", .text("in")) }
        let origin = Origin(url("http://a.test"))
        let ambient = TraceContext(traceID: (1, 2), parentID: 3, state: "v=1")
        let client = scene.client.trace(TracePolicy(to: [origin], current: { ambient }))
        let _: String = try await UrlChainsBuilder(client: client)
            .set(headers: fields)
            .route(.get, "http://a.test/")
            .build().process()
        return (scene.mock.requests[0], try #require(await scene.records().first))
    }

    @Test("a caller's own traceparent is kept, ours a link; an invalid one, or several, is dropped and reported")
    func ownTraceparent() async throws {
        let kept = try await call(["traceparent": Self.own])
        #expect(kept.sent.headers["traceparent"] == Self.own && !kept.sent.headers.contains("tracestate"))
        let span = try #require(try kept.record.spans().first)
        #expect(span["traceId"]?.string == "0af7651916cd43dd8448eb211c80319c")
        #expect(span["links"]?[0]?["traceId"]?.string == "00000000000000010000000000000002")
        #expect(span["links"]?[0]?["spanId"]?.string == "0000000000000003")

        var twice: Headers = ["traceparent": Self.own]
        twice.append("traceparent", Self.own)
        for fields in [["traceparent": "00-x", "tracestate": "a=1"], twice] {
            let dropped = try await call(fields)
            let sent = try #require(TraceContext(dropped.sent.headers))
            #expect(sent.traceID.low == 2 && sent.state == "v=1")
            #expect(LogTree(dropped.record).lines.contains { $0.message.contains("traceparent") })
            #expect(try dropped.record.spans().first?["links"] == nil)
        }
    }

    @Test("the span of an exchange is the one sent to the server")
    func sentSpan() async throws {
        let call = try await call([:])
        let sent = try #require(TraceContext(call.sent.headers))
        let span = try #require(try call.record.spans().first)
        let parts = sent.traceparent.split(separator: "-").map { String($0) }
        #expect(span["spanId"]?.string == parts[2])
        #expect(span["traceId"]?.string == "00000000000000010000000000000002")
        #expect(span["parentSpanId"]?.string == "0000000000000003")
    }

    @Test("an unknown method: the span is named HTTP, its method and label _OTHER")
    func unknownMethod() async throws {
        let request = TransportRequest(method: "M-SEARCH", url: url("http://a.test/"))
        let record = try await Samples.exchanges(Samples.response(200, .reused()), for: request)
        let span = try #require(try record.spans().first)
        #expect(span["name"]?.string == "HTTP")
        #expect(span.attribute("http.request.method") == "_OTHER")
        #expect(span.attribute("http.request.method_original") == "M-SEARCH")
        let metrics = CallMetrics()
        metrics.write(record)
        #expect(metrics.prometheus.contains(#"http_request_method="_OTHER""#))
        #expect(!metrics.prometheus.contains("M-SEARCH"))
    }

    @Test("a cassette: other member order, parallel equals, 503 then 200, a redirect, another day: all match")
    func cassette() async throws {
        let folder = try TemporaryFolder()
        let file = folder.tape
        func order(_ json: String, date: String) -> TransportRequest {
            post("http://a.test/orders", json, ["Date": date, "Signature": "sig=\(date)"])
        }
        let live = MockTransport { mock in
            mock.on(.post, "/orders", .json("1"), .json("2"))
            mock.on(.get, "/flaky", .status(503), .text("up"))
            mock.on(.get, "/old", MockResponse.status(302, headers: ["Location": "/new"]))
            mock.on(.get, "/new", .text("new"))
        }
        func run(_ tape: Cassette, day: String, json: String) async throws -> [String] {
            let client = Client(transport: tape).retry(RetryPolicy(backoff: .exponential(base: .milliseconds(1))))
            async let first = tape.send(order(json, date: day)).body.collect()
            async let second = tape.send(order(json, date: day)).body.collect()
            let orders = try await [first, second].map { String(decoding: $0, as: UTF8.self) }.sorted()
            return try await orders + [client.text("http://a.test/flaky"), client.text("http://a.test/old")]
        }
        var options = Cassette.Options()
        options.recordsFailures = true
        let recorded = try Cassette(file, mode: .rewrite, live: live, options: options)
        let told = try await run(recorded, day: "Mon", json: #"{"a":1,"b":2}"#)
        let tape = try Cassette(file, date: { Date().addingTimeInterval(86_400) })
        #expect(try await run(tape, day: "Tue", json: #"{"b":2,"a":1}"#) == told)
        #expect(tape.report.isClean, "\(tape.report)")
        let changed = try Cassette(file)
        await #expect(throws: TransportError.self) { try await changed.send(order(#"{"a":1,"b":3}"#, date: "Mon")) }
    }
}
