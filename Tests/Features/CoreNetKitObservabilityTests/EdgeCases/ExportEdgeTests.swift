import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitObservability
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Edge cases of traces, metrics and cassettes", .timeLimit(.minutes(10)), .paced)
struct ExportEdgeTests {
    private static let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func call(_ fields: Headers) async throws -> (sent: MockRequest, record: CallRecord) {
        let scene = Scene { $0.on(.get, "/**", .text("in")) }
        let origin = Origin(url("http://a.test"))
        let ambient = TraceContext(traceID: (1, 2), parentID: 3)
        let client = scene.client.trace(TracePolicy(to: [origin], current: { ambient }))
        let chain: Chain<Void, String> = UrlChainsBuilder(client: client)
            .set(headers: fields)
            .route(.get, "http://a.test/")
            .build()
        _ = try await chain.process()
        return (scene.mock.requests[0], try #require(await scene.records().first))
    }

    @Test("a caller's own traceparent is kept, ours a link; an invalid one, or several, is dropped and reported")
    func ownTraceparent() async throws {
        let kept = try await call(["traceparent": Self.own])
        #expect(kept.sent.headers["traceparent"] == Self.own)
        let span = try #require(try kept.record.spans().first)
        #expect(span["traceId"]?.string == "0af7651916cd43dd8448eb211c80319c")
        #expect(span["links"]?[0]?["traceId"]?.string == "00000000000000010000000000000002")
        #expect(span["links"]?[0]?["spanId"]?.string == "0000000000000003")

        var twice: Headers = ["traceparent": Self.own]
        twice.append("traceparent", Self.own)
        for fields in [["traceparent": "00-x"], twice] {
            let dropped = try await call(fields)
            #expect(TraceContext(dropped.sent.headers)?.traceID.low == 2)
            #expect(LogTree(dropped.record).lines.contains { $0.message.contains("traceparent") })
            #expect(try dropped.record.spans().first?["links"] == nil)
        }
    }

    @Test("the span of an exchange is the one sent to the server")
    func sentSpan() async throws {
        let call = try await call([:])
        let sent = try #require(TraceContext(call.sent.headers))
        let span = try #require(try call.record.spans().first)
        #expect(span["spanId"]?.string == sent.traceparent.split(separator: "-").dropFirst(2).first.map { String($0) })
        #expect(span["traceId"]?.string == "00000000000000010000000000000002")
        #expect(span["parentSpanId"]?.string == "0000000000000003")
    }

    @Test("an unknown method: the span is named HTTP, its method and label _OTHER")
    func unknownMethod() async throws {
        let stage = try Stage()
        let request = TransportRequest(method: "M-SEARCH", url: url("http://a.test/"))
        stage.exchange(request, Samples.response(200, .reused()), in: stage.context())
        let record = try await stage.end()
        let span = try #require(try record.spans().first)
        #expect(span["name"]?.string == "HTTP")
        #expect(span.attribute("http.request.method") == "_OTHER")
        #expect(span.attribute("http.request.method_original") == "M-SEARCH")
        let metrics = CallMetrics()
        metrics.write(record)
        #expect(metrics.prometheus.contains(#"http_request_method="_OTHER""#))
        #expect(!metrics.prometheus.contains("M-SEARCH"))
    }

    @Test("a collector away for an hour: bounded memory, a line for each change, no span of its own, counted loss")
    func collectorDown() async throws {
        let clock = ManualClock()
        let isUp = Locked(false)
        let mock = MockTransport(clock: clock) { mock in
            mock.on(.post, "/v1/traces") { _ in
                guard isUp.withLock({ $0 }) else {
                    throw TransportError(.cannotConnect, phase: .connect, message: "down")
                }
                return .json("{}")
            }
        }
        let lines = Locked<[String]>([])
        var limits = OTLPExporter.Limits()
        limits.queue = 50
        let exporter = OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: mock,
            limits: limits,
            clock: CallClock(clock),
            log: { line in lines.withLock { $0.append(line) } }
        )
        let record = try await Samples.record()
        for _ in 0..<360 {
            exporter.write(record)
            clock.advance(by: .seconds(10))
            for _ in 0..<20 { await Task.yield() }
        }
        let counts = exporter.counts
        #expect(counts.waiting <= 50)
        #expect(counts.dropped > 0)
        #expect(counts.sent == 0)
        #expect(lines.withLock { $0.count } == 1, "\(lines.withLock { $0 })")

        isUp.withLock { $0 = true }
        var written = 360
        while exporter.counts.sent == 0 {
            exporter.write(record)
            written += 1
            clock.advance(by: .seconds(10))
            for _ in 0..<20 { await Task.yield() }
        }
        await until { lines.withLock { $0.count } == 2 }
        await exporter.flush()
        let final = exporter.counts
        #expect(final.waiting == 0)
        #expect(final.sent + final.dropped + final.rejected == written * 3)
        #expect(mock.requests.allSatisfy { !$0.headers.contains("traceparent") })
    }

    @Test("what is left after the time for the end is counted as lost")
    func shutdown() async throws {
        let clock = ManualClock()
        let mock = MockTransport(clock: clock) { $0.on(.post, "/v1/traces", .stall) }
        let exporter = OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: mock,
            clock: CallClock(clock)
        )
        exporter.write(try await Samples.record())
        let end = Task { await exporter.shutdown(within: .seconds(5)) }
        try await mock.waitForRequests(1)
        await until { !clock.sleepers.isEmpty }
        clock.advance(by: .seconds(5))
        #expect(await end.value == 3)
        await until { exporter.counts.dropped == 3 }
        exporter.write(try await Samples.record())
        #expect(exporter.counts.dropped == 6)
        #expect(exporter.counts.waiting == 0)
    }

    /// How the end of an exporter is waited for.
    enum Ending: CaseIterable, Sendable {
        case flush, shutdown
    }

    @Test(
        "flush and shutdown retry after transient failures, after the requested wait",
        arguments: [429, 502, 503, 504],
        Ending.allCases
    )
    func endRepeats(status: Int, ending: Ending) async throws {
        let (exporter, clock, mock, lines) = try await exporting { mock in
            mock.on(.post, "/v1/traces", MockResponse.status(status, headers: ["Retry-After": "3"]), .json("{}"))
        }
        let end = Task { [exporter] in
            ending == .flush ? await exporter.flush() : await exporter.shutdown(within: .seconds(20))
        }
        // The limit, and the wait before the repetition.
        try await clock.waitForSleepers(2)
        #expect(mock.requests.count == 1)
        clock.advance(by: .seconds(2))
        #expect(clock.sleepers.count == 2)
        clock.advance(by: .seconds(2))
        #expect(await end.value == 0)
        #expect(exporter.counts.sent == 3 && exporter.counts.dropped == 0)
        #expect(mock.requests.count == 2)
        #expect(lines.withLock { $0 } == [])
    }

    @Test("shutdown repeats as long as there is time, and reports what was lost and why", arguments: [true, false])
    func endIsLost(isReached: Bool) async throws {
        let (exporter, clock, mock, lines) = try await exporting { mock in
            mock.on(.post, "/v1/traces", isReached ? .status(503) : .failure(Self.unreachable))
        }
        let end = Task { await exporter.shutdown(within: .seconds(60)) }
        let driver = Task {
            while true {
                try await clock.waitForSleepers(2)
                try await clock.advanceToNextSleeper()
            }
        }
        #expect(await end.value == 3)
        driver.cancel()
        #expect(exporter.counts.dropped == 3 && exporter.counts.waiting == 0)
        // More often than a message is repeated in passing.
        #expect(mock.requests.count > OTLPExporter.Limits().retries + 1)
        #expect(lines.withLock { $0 }.last == "3 spans are lost")
        let isUnreachable = lines.withLock { $0.contains("the collector cannot be reached") }
        #expect(isUnreachable == false || !isReached)
    }

    @Test("a flush returns when earlier records are sent, however many arrive meanwhile")
    func flushOfABusyExporter() async throws {
        let clock = ManualClock()
        let mock = MockTransport(clock: clock) { $0.on(.post, "/v1/traces", .json("{}")) }
        var limits = OTLPExporter.Limits()
        limits.queue = 1_000_000
        let exporter = OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: mock,
            limits: limits,
            clock: CallClock(clock)
        )
        let record = try await Samples.record()
        exporter.write(record)
        // Each message that is sent is followed by more.
        mock.on(
            where: { _ in
                exporter.write(record); return true
            },
            .json("{}")
        )
        let lost = await exporter.flush()
        #expect(lost == 0)
        #expect(exporter.counts.sent >= 3)
        await exporter.shutdown(within: .zero)
    }

    private static let unreachable = TransportError(.cannotConnect, phase: .connect, message: "down")

    private func exporting(
        _ script: (MockTransport) -> Void
    ) async throws -> (OTLPExporter, ManualClock, MockTransport, Locked<[String]>) {
        let clock = ManualClock()
        let mock = MockTransport(clock: clock, script)
        let lines = Locked<[String]>([])
        let exporter = OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: mock,
            clock: CallClock(clock),
            log: { line in lines.withLock { $0.append(line) } }
        )
        exporter.write(try await Samples.record())
        return (exporter, clock, mock, lines)
    }

    @Test("a cassette: other member order, parallel equals, 503 then 200, a redirect, another day: all match")
    func cassette() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("edge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("tape.har")
        func post(_ json: String, date: String) -> TransportRequest {
            TransportRequest(
                method: .post,
                url: url("http://a.test/orders"),
                headers: ["Content-Type": "application/json", "Date": date, "Signature": "sig=\(date)"],
                body: .bytes(Data(json.utf8))
            )
        }
        let live = MockTransport { mock in
            mock.on(.post, "/orders", .json("1"), .json("2"))
            mock.on(.get, "/flaky", .status(503), .text("up"))
            mock.on(.get, "/old", MockResponse.status(302, headers: ["Location": "/new"]))
            mock.on(.get, "/new", .text("new"))
        }
        func run(_ tape: Cassette, day: String, json: String) async throws -> [String] {
            let client = Client(transport: tape).retry(RetryPolicy(backoff: .exponential(base: .milliseconds(1))))
            func get(_ path: String) async throws -> String {
                let chain: Chain<Void, String> = UrlChainsBuilder(client: client)
                    .route(.get, "http://a.test\(path)")
                    .build()
                return try await chain.process()
            }
            async let first = tape.send(post(json, date: day)).body.collect()
            async let second = tape.send(post(json, date: day)).body.collect()
            let orders = try await [first, second].map { String(decoding: $0, as: UTF8.self) }.sorted()
            return try await orders + [get("/flaky"), get("/old")]
        }
        var options = Cassette.Options()
        options.recordsFailures = true
        let recorded = try Cassette(file, mode: .rewrite, live: live, options: options)
        let told = try await run(recorded, day: "Mon", json: #"{"a":1,"b":2}"#)
        let tape = try Cassette(file, date: { Date().addingTimeInterval(86_400) })
        #expect(try await run(tape, day: "Tue", json: #"{"b":2,"a":1}"#) == told)
        #expect(tape.report.isClean, "\(tape.report)")
        let changed = try Cassette(file)
        await #expect(throws: TransportError.self) { try await changed.send(post(#"{"a":1,"b":3}"#, date: "Mon")) }
    }
}
