import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitObservability
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

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
