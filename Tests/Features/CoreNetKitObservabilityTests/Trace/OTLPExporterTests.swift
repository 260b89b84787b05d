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

@Suite("The exporter to a collector", .paced)
struct OTLPExporterTests {
    private func exporter(
        _ mock: MockTransport,
        _ clock: ManualClock,
        _ change: (inout OTLPExporter.Limits) -> Void = { _ in }
    ) -> OTLPExporter {
        var limits = OTLPExporter.Limits()
        change(&limits)
        return OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: mock,
            limits: limits,
            clock: CallClock(clock)
        )
    }

    private func spans(_ request: MockRequest) throws -> [Json] {
        let json = try Json(parsing: request.body)
        return json["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.array ?? []
    }

    @Test("sends one client span for each exchange, in one message")
    func batch() async throws {
        let mock = MockTransport { $0.on(.post, "/v1/traces", .json("{}")) }
        let exporter = exporter(mock, ManualClock())
        exporter.write(try await Samples.record())
        await exporter.flush()
        #expect(mock.requests.count == 1)
        let spans = try spans(mock.requests[0])
        #expect(spans.map { $0["kind"]?.int } == [3, 3, 3])
        #expect(Set(spans.compactMap { $0["traceId"]?.string }).count == 1)
        #expect(Set(spans.compactMap { $0["spanId"]?.string }).count == 3)
        #expect(spans[0]["status"]?["code"]?.int == 2)
        #expect(spans[2]["status"]?["code"] == nil)
        let counts = spans.map { span in
            span["attributes"]?.array?.first { $0["key"]?.string == "http.request.resend_count" }?["value"]?[
                "intValue"
            ]?.string
        }
        #expect(counts == [nil, "1", "2"])
        #expect(exporter.counts.sent == 3)
    }

    @Test("an unknown method does not become the name of a span or series")
    func unknownMethod() async throws {
        let stage = try Stage()
        let request = TransportRequest(method: "M-SEARCH", url: url("http://a.test/"))
        stage.exchange(request, Samples.response(200, .reused()), in: stage.context())
        let record = try await stage.end()
        let text = String(decoding: OTLPTraces.data(of: [record], service: "s"), as: UTF8.self)
        #expect(text.contains(#""name":"HTTP""#))
        #expect(text.contains("_OTHER"))
        let metrics = CallMetrics()
        metrics.write(record)
        #expect(metrics.prometheus.contains(#"http_request_method="_OTHER""#))
    }

    @Test(
        "repeats transient failures after the requested wait, and nothing else",
        arguments: [
            (503, 2, 3), (429, 2, 3), (400, 1, 0), (500, 1, 0),
        ]
    )
    func retries(status: Int, requests: Int, sent: Int) async throws {
        let clock = ManualClock()
        let mock = MockTransport { mock in
            mock.on(.post, "/v1/traces", MockResponse.status(status, headers: ["Retry-After": "7"]), .json("{}"))
        }
        let exporter = exporter(mock, clock) {
            $0.batch = 1; $0.queue = 3; $0.batch = 3
        }
        exporter.write(try await Samples.record())
        if requests == 2 {
            try await clock.waitForSleepers(1)
            #expect(clock.sleepers.contains { $0.offset >= .seconds(7) })
            clock.advance(by: .seconds(60))
        }
        await exporter.flush()
        #expect(mock.requests.count == requests)
        #expect(exporter.counts.sent == sent)
        #expect(exporter.counts.rejected == 3 - sent)
    }

    @Test("the span of a call has its waits as events")
    func waits() async throws {
        let data = OTLPTraces.data(of: [try await Samples.record()], service: "s", includesCalls: true)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""name":"wait place""#) && text.contains(#""name":"wait place ended""#))
        #expect(!text.contains("method_original"))
    }

    @Test("waits until a date by the given time of day")
    func retryDate() async throws {
        let clock = ManualClock()
        let busy = MockResponse.status(503, headers: ["Retry-After": "Sun, 09 Sep 2001 01:47:40 GMT"])
        let mock = MockTransport { $0.on(.post, "/v1/traces", busy, .json("{}")) }
        let exporter = OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "s",
            transport: mock,
            clock: CallClock(clock),
            date: { Date(timeIntervalSince1970: 1_000_000_000) }
        )
        exporter.write(try await Samples.record())
        let flushed = Task { await exporter.flush(within: .seconds(3600)) }
        await until { clock.sleepers.contains { $0.offset >= .seconds(60) && $0.offset < .seconds(62) } }
        clock.advance(by: .seconds(62))
        #expect(await flushed.value == 0)
        #expect(mock.requests.count == 2)
    }

    @Test("counts what the collector rejected, and does not send it again")
    func partialSuccess() async throws {
        let mock = MockTransport { $0.on(.post, "/v1/traces", .json(#"{"partialSuccess":{"rejectedSpans":"2"}}"#)) }
        let exporter = exporter(mock, ManualClock())
        exporter.write(try await Samples.record())
        await exporter.flush()
        #expect(exporter.counts.sent == 1)
        #expect(exporter.counts.rejected == 2)
        #expect(mock.requests.count == 1)
    }

    @Test("keeps no more than its queue while the collector is stuck")
    func stuck() async throws {
        let mock = MockTransport { $0.on(.post, "/v1/traces", .stall) }
        let exporter = exporter(mock, ManualClock()) {
            $0.queue = 10; $0.batch = 4
        }
        let record = try await Samples.record()
        for _ in 0..<100 { exporter.write(record) }
        #expect(exporter.counts.dropped >= 280)
    }

    @Test("omits what is not sampled")
    func sampling() async throws {
        let mock = MockTransport { $0.on(.post, "/v1/traces", .json("{}")) }
        let exporter = OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: mock,
            sampling: .ratio(0)
        )
        exporter.write(try await Samples.record())
        await exporter.flush()
        #expect(mock.requests.isEmpty)
    }
}

@Suite("Metrics and recorder", .paced)
struct MetricsTests {
    @Test("count durations, causes and waits, cumulative in the text")
    func prometheus() async throws {
        let metrics = CallMetrics()
        metrics.write(try await Samples.record())
        let lines = metrics.prometheus.split(separator: "\n")
        #expect(
            lines.contains {
                $0.hasPrefix("http_client_request_duration_seconds_bucket") && $0.contains(#"le="+Inf"} 1"#)
            }
        )
        #expect(lines.contains(#"corenetkit_client_resends_total{cause="retry"} 1"#))
        #expect(
            lines.contains { $0.hasPrefix("corenetkit_client_wait_duration_seconds_count") && $0.contains("place") }
        )
    }

    @Test("have no more series than their limit")
    func limit() async throws {
        let metrics = CallMetrics(seriesLimit: 3)
        for host in 0..<20 {
            let stage = try Stage()
            let request = TransportRequest(url: url("http://host\(host).test/"))
            stage.exchange(request, Samples.response(200, .reused()), in: stage.context())
            metrics.write(try await stage.end())
        }
        let hosts = metrics.prometheus.split(separator: "\n").filter { $0.contains("duration_seconds_count") }
        #expect(hosts.count == 4)
        #expect(metrics.prometheus.contains("corenetkit_client_series_dropped_total 17"))
    }

    @Test("the recorder keeps the last calls, and returns them when one fails")
    func recorder() async throws {
        let recorder = CallRecorder(keep: 3)
        let dumped = Locked<[Int]>([])
        recorder.dump(on: .failure) { _, records in dumped.withLock { $0.append(records.count) } }
        for _ in 0..<5 { recorder.write(try await Samples.record()) }
        #expect(recorder.records.count == 3)
        #expect(dumped.withLock { $0.isEmpty })
        recorder.write(try await Samples.failure(NetworkError(.notFound, "gone", node: "StatusNode")))
        #expect(dumped.withLock { $0 } == [3])
        let small = CallRecorder(byteLimit: 1)
        for _ in 0..<3 { small.write(try await Samples.record()) }
        #expect(small.records.count == 1)
    }

    @Test("a template names span and series in place of the path")
    func template() async throws {
        let scene = Scene { $0.on(.get, "/**", .text("in")) }
        let metrics = CallMetrics()
        for id in [7, 8] {
            let chain: Chain<Void, String> = UrlChainsBuilder(client: scene.client.record(to: metrics))
                .route(.get, "http://a.test/orders/\(id)")
                .template("/orders/{id}")
                .build()
            _ = try await chain.process()
        }
        for record in await scene.records() {
            #expect(try record.spans().map { $0["name"]?.string } == ["GET /orders/{id}"])
            #expect(try record.spans().first?.attribute("url.template") == "/orders/{id}")
        }
        await until { metrics.prometheus.contains(#"url_template="/orders/{id}"} 2"#) }
        #expect(!metrics.prometheus.contains("orders/7"))
    }

    @Test("requests in flight are counted up and down")
    func active() async throws {
        let scene = Scene { mock in
            mock.on(.get, "/stall", .stall)
            mock.on(.get, "/quick", .text("in"))
        }
        let metrics = CallMetrics()
        let client = scene.client.record(to: metrics).record(to: metrics.activeRequests)
        let labels = #"{http_request_method="GET",server_address="a.test",server_port="80"}"#
        let name = "http_client_active_requests\(labels)"
        let stalled = Task { try await scene.get("http://a.test/stall", client) }
        try await scene.mock.waitForRequests(1)
        _ = try await scene.get("http://a.test/quick", client)
        await until { metrics.prometheus.contains("\(name) 1\n") }
        stalled.cancel()
        _ = await stalled.result
        await until { metrics.prometheus.contains("\(name) 0\n") }
        #expect(metrics.prometheus.contains("# TYPE http_client_active_requests gauge"))
        #expect(String(decoding: metrics.otlp(service: "s"), as: UTF8.self).contains(#""isMonotonic":false"#))
    }

    @Test("a chain draws itself")
    func diagram() {
        let chain: Chain<Void, String> = UrlChainsBuilder<String>().retry().route(.get, "http://a.test/").build()
        let text = chain.mermaid
        #expect(text.hasPrefix("flowchart TD"))
        #expect(text.contains("[\"RetryNode\"]"))
        #expect(text.split(separator: "\n").count > 10)
    }
}
