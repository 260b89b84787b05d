import CoreNetKitCache
import CoreNetKitObservability
import CoreNetKitStreams
import TestSupport

@Suite("Metrics and recorder", .paced)
struct MetricsTests {
    @Test("count durations, causes and waits, cumulative in the text")
    func prometheus() async throws {
        let metrics = CallMetrics()
        metrics.write(try await Samples.record())
        let lines = metrics.prometheus.split(separator: "\n")
        func has(_ name: String, _ part: String) -> Bool { lines.contains { $0.hasPrefix(name) && $0.contains(part) } }
        #expect(has("http_client_request_duration_seconds_bucket", #"le="+Inf"} 1"#))
        #expect(lines.contains(#"corenetkit_client_resends_total{cause="retry"} 1"#))
        #expect(has("corenetkit_client_wait_duration_seconds_count", "place"))
    }

    @Test("have no more series than their limit")
    func limit() async throws {
        let metrics = CallMetrics(seriesLimit: 3)
        for host in 0..<20 {
            let request = TransportRequest(url: url("http://host\(host).test/"))
            metrics.write(try await Samples.exchanges(Samples.response(200, .reused()), for: request))
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
            let _: String = try await UrlChainsBuilder(client: scene.client.record(to: metrics))
                .route(.get, "http://a.test/orders/\(id)")
                .template("/orders/{id}")
                .build().process()
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
        await stalled.cancelAndWait()
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

@Suite("Counters under load", .timeLimit(.minutes(10)), .paced)
struct MetricsLoadTests {
    private static let calls = TestRounds.count(5_000)

    @Test("calls, requests and their durations are counted exactly, however fast they arrive")
    func exact() async throws {
        let metrics = CallMetrics()
        let recorder = CallRecorder()
        let transport = ClosureTransport { request in
            let isLost = request.url.path.hasSuffix("7")
            return .init(status: isLost ? 503 : 200, headers: [:], body: .bytes(Data("{}".utf8)), url: request.url)
        }
        let client = Client(transport: transport).without(.retry).record(to: metrics).record(in: recorder)
        let share = Self.calls / 4
        try await concurrently(4) { task in
            for number in 0..<share { _ = try? await client.text("http://h\(task).test/\(number % 10)") }
        }
        await client.flushRecords()
        let text = metrics.prometheus
        #expect(text.total("corenetkit_client_calls_total") == 4 * share)
        #expect(text.total("http_client_request_duration_seconds_count") == 4 * share)
        #expect(text.contains(#"corenetkit_client_calls_total{outcome="failed"} \#(4 * share / 10)"#))
        #expect(!text.contains("dropped"))
        // A view may lose some of them, and says how many.
        #expect(recorder.records.count <= 200)
    }
}

/// Series are found by a short way that compares little; what it leaves out must not bring two of them together.
@Suite("Series of durations", .timeLimit(.minutes(10)), .paced)
struct MetricsWaysTests {
    /// Each differs from the first one in one thing; they are more than there are ways.
    private static let rows: [(method: HTTPMethod, url: String, template: String?)] = [
        (.get, "http://a.test/ok", nil), (.put, "http://a.test/ok", nil), (.get, "http://a.test/missing", nil),
        (.get, "http://a.test/second", nil), (.get, "http://a.test/third", nil), (.get, "http://a.test/ok", "/{a}"),
        (.get, "http://a.test/ok", "/{b}"), (.get, "http://b.test/ok", nil), (.get, "http://a.test:8080/ok", nil),
        (.get, "http://a.test.c/ok", nil), (.get, "https://a.test/ok", nil), (.get, "http://a.tent/ok", nil),
        (.get, "http://a.tesu/ok", nil),
    ]

    private static func response(to request: TransportRequest) -> TransportResponse {
        let path = request.url.path
        let body = ResponseBody.bytes(Data("{}".utf8))
        var response = TransportResponse(status: path == "/missing" ? 404 : 200, body: body, url: request.url)
        response.timings.httpVersion = path == "/second" ? "2" : path == "/third" ? "1.2" : "1.1"
        return response
    }

    @Test("are kept apart by method, host, port, scheme, status, version and template", arguments: [1, 3])
    func apart(inRow: Int) async throws {
        let metrics = CallMetrics()
        let client = Client(transport: ClosureTransport { Self.response(to: $0) }).record(to: metrics)
        for row in Self.rows + Self.rows {
            var builder = UrlChainsBuilder<String>(client: client).route(row.method, row.url)
            if let template = row.template { builder = builder.template(template) }
            let chain: Chain<Void, Void> = builder.build()
            for _ in 0..<inRow { _ = try? await chain.process() }
        }
        let counts = metrics.prometheus.split(separator: "\n").filter {
            $0.hasPrefix("http_client_request_duration_seconds_count{")
        }
        #expect(counts.count == Self.rows.count && counts.allSatisfy { $0.hasSuffix(" \(2 * inRow)") }, "\(counts)")
    }
}

@Suite("Counters without other listeners", .timeLimit(.minutes(10)), .paced)
struct MetricsTallyTests {
    private struct Row: Codable, Sendable, DTOConvertible, RawMappable {
        typealias DTO = Self
        typealias Raw = Json
        let id: Int
    }

    /// A head as a transport keeps it, of which counters ask the version alone.
    private final class Head: ResponseSource {
        let headers: Headers = [:]
        let reason = ""
        let httpVersion: String? = "1.1"
        var timings: TransportTimings {
            var timings = TransportTimings()
            timings.httpVersion = "1.1"
            return timings
        }
    }

    private static func response(to request: TransportRequest) async throws -> TransportResponse {
        func reply(_ status: Int, _ headers: Headers = [:]) -> TransportResponse {
            .init(status: status, headers: headers, body: .bytes(Data("{\"id\":1}\n".utf8)), url: request.url)
        }
        switch request.url.path {
        case "/down": return reply(503)
        case "/wire":
            let body = ResponseBody.bytes(Data("{}".utf8))
            return TransportResponse(status: 200, body: body, url: request.url, source: Head())
        case "/second":
            var response = reply(200)
            response.timings.httpVersion = "2"
            return response
        case "/missing": return reply(404)
        case "/moved": return reply(302, ["Location": "http://b.test/ok"])
        case "/kept": return reply(200, ["Cache-Control": "max-age=100"])
        case "/lost": throw TransportError(.connectionLost, phase: .receive, message: "")
        case "/hung":
            while !Task.isCancelled { await Task.yield() }
            throw CancellationError()
        case "/stream":
            let rows = Locked(["{\"id\":1}\n", "{\"id\":2}\n"])
            var response = reply(200, ["Content-Type": "application/x-ndjson"])
            response.body = .stream(
                ResponseStream(next: { rows.withLock { $0.isEmpty ? nil : Data($0.removeFirst().utf8) } }, cancel: {})
            )
            return response
        default: return reply(200)
        }
    }

    /// What the counters say of calls of all kinds.
    private func figures(isAlone: Bool) async throws -> String {
        let clock = SkippingClock()
        let metrics = CallMetrics(seriesLimit: 10) { Date(timeIntervalSince1970: 0) }
        let transport = ClosureTransport { try await Self.response(to: $0) }
        var client = Client(transport: transport, clock: CallClock(clock), seed: 1) { clock.date }
        client = client.retry(.standard).cache(ResponseCache()).record(to: metrics)
        if !isAlone { client = client.record(to: ClosureCallSink { _ in }) }
        func call(_ method: HTTPMethod, _ url: String) async { _ = try? await client.text(url, by: method) }
        let paths = [
            "ok", "ok?page=2", "down", "missing", "moved", "kept", "kept", "lost", "wire", "second", "ok#x", "",
        ]
        for path in paths { await call(.get, "http://a.test/\(path)") }
        for method in [HTTPMethod.put, HTTPMethod(rawValue: "BREW")] { await call(method, "http://a.test:8080/ok") }
        for host in ["http://u:p@a.test/ok", "HTTP://A.TEST/ok", "http://a.test.c/ok", "http://[::1]/ok"] {
            await call(.get, host)
        }
        let hung = Task { [client] in try await client.text("http://a.test/hung") }
        await hung.cancelAndWait()
        for isRead in [true, false] {
            let rows: Chain<Void, ElementStream<Row>> = UrlChainsBuilder<String>(client: client)
                .route(.get, "http://c.test/stream").lines(reading: .json)
            let stream: ElementStream<Row> = try await rows.process()
            if isRead { for try await _ in stream {} } else { stream.close() }
        }
        return metrics.prometheus
    }

    @Test("give the same figures as beside a sink of records, for calls of every kind")
    func same() async throws {
        let alone = try await figures(isAlone: true)
        #expect(alone == (try await figures(isAlone: false)))
        for part in [
            #"calls_total{outcome="completed"}"#, #"{outcome="failed"}"#, #"resends_total{cause="retry"}"#,
            #"resends_total{cause="redirect"}"#, "client_cache_total", "series_dropped_total", "_OTHER",
            #"wait_duration_seconds_count{kind="backoff"}"#, #"server_address="b.test""#,
            #"network_protocol_version="1.1""#, #"network_protocol_version="2""#,
        ] {
            #expect(alone.contains(part), "\(part) is missing in \(alone)")
        }
    }
}
