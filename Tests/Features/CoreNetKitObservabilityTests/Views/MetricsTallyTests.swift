import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitObservability
import CoreNetKitStreams
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

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
            let next: @Sendable () async throws -> Data? = {
                rows.withLock { $0.isEmpty ? nil : Data($0.removeFirst().utf8) }
            }
            response.body = .stream(ResponseStream(next: next, cancel: {}))
            return response
        default: return reply(200)
        }
    }

    /// What the counters say of calls of all kinds.
    private func figures(isAlone: Bool) async throws -> String {
        let clock = SkippingClock()
        let metrics = CallMetrics(seriesLimit: 10) { Date(timeIntervalSince1970: 0) }
        var client = Client(
            transport: ClosureTransport { try await Self.response(to: $0) },
            clock: CallClock(clock),
            seed: 1
        ) { clock.date }
        client = client.retry(.standard).cache(with: ResponseCache()).record(to: metrics)
        if !isAlone { client = client.record(to: ClosureCallSink { _ in }) }
        func call(_ method: HTTPMethod, _ url: String) async {
            let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(method, url).build()
            _ = try? await chain.process()
        }
        let paths = [
            "ok", "ok?page=2", "down", "missing", "moved", "kept", "kept", "lost", "wire", "second", "ok#x", "",
        ]
        for path in paths {
            await call(.get, "http://a.test/\(path)")
        }
        for method in [HTTPMethod.put, HTTPMethod(rawValue: "BREW")] { await call(method, "http://a.test:8080/ok") }
        for host in ["http://u:p@a.test/ok", "HTTP://A.TEST/ok", "http://a.test.c/ok", "http://[::1]/ok"] {
            await call(.get, host)
        }
        let hung = Task { [client] in
            let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client)
                .route(.get, "http://a.test/hung").build()
            _ = try? await chain.process()
        }
        hung.cancel()
        await hung.value
        for isRead in [true, false] {
            let rows: Chain<Void, ElementStream<Row>> = UrlChainsBuilder<String>(client: client)
                .route(.get, "http://c.test/stream").lines()
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
