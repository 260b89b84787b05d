import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitObservability
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("Views show what happened", .timeLimit(.minutes(10)), .paced)
struct ViewTruthTests {
    private func record(_ client: Client, _ builder: (UrlChainsBuilder<URL>) -> UrlChainsBuilder<URL>) async
        -> CallRecord?
    {
        let recorder = CallRecorder()
        let client = client.record(in: recorder)
        let chain: Chain<Void, Void> = builder(UrlChainsBuilder<URL>(client: client)).build()
        try? await chain.process()
        await client.flushRecords()
        return recorder.last
    }

    private func fields(_ entry: Json) -> [String: String] {
        let pairs = entry["request"]?["headers"]?.array ?? []
        return Dictionary(
            pairs.compactMap { field in field["name"]?.string.map { ($0, field["value"]?.string ?? "") } }
        ) {
            first,
            _ in first
        }
    }

    @Test("request fields are those of the wire if contents are kept, without secrets")
    func sentFields() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.on(.get, "/a", .text("a"))
        let recorder = CallRecorder(keepsBodies: true)
        let client = Client().record(in: recorder)
        let chain: Chain<Void, String> = UrlChainsBuilder<URL>(client: client)
            .set(metadata: ["Authorization": "Bearer s3cret"]).route(.get, server.url("/a")).build()
        #expect(try await chain.process() == "a")
        await client.flushRecords()
        let record = try #require(recorder.last)
        let wire = try #require(server.requests.first).headers
        let entry = try #require(try record.entries().first)
        let shown = fields(entry)
        for field in wire where field.name != "Authorization" { #expect(shown[field.name] == field.value, "\(field)") }
        #expect(shown["Authorization"] == "Bearer REDACTED")
        let agent = try #require(wire["User-Agent"])
        #expect(record.curl?.contains("--header 'User-Agent: \(agent)'") == true)
        #expect(CallPage([record]).html.contains(agent))
    }

    @Test("a command keeps the client's unrecorded name, and an unset variable is an error")
    func command() async throws {
        let mock = MockTransport { $0.on(nil, "/**", .ok) }
        let record = await record(Client(transport: mock)) { $0.route(.get, url("http://a.test/?token=x")) }
        let command = try #require(record?.curl)
        #expect(!command.contains("User-Agent"))
        #expect(command.contains(#""${URL_TOKEN:?}""#))
        let login = CurlCommand(
            method: .post,
            url: "http://a.test/",
            headers: ["Content-Type": "application/json"],
            body: Data(#"{"password":"REDACTED","a":1}"#.utf8)
        )
        #expect(login.variables == ["PASSWORD"])
    }

    @Test("truncated content is marked in the archive and in the command")
    func cut() async throws {
        let long = String(repeating: "é", count: 40_000)
        let mock = MockTransport { $0.on(nil, "/**", .json("[\"\(long)\"]")) }
        let recorder = CallRecorder(keepsBodies: true)
        let client = Client(transport: mock).record(in: recorder)
        let chain: Chain<[String], Json> = UrlChainsBuilder<URL>(client: client).route(.post, url("http://a.test/"))
            .build()
        _ = try await chain.process([long])
        await client.flushRecords()
        let record = try #require(recorder.last)
        let entry = try #require(try record.entries().first)
        for part in [entry["request"]?["postData"], entry["response"]?["content"]] {
            #expect(part?["comment"]?.string?.hasPrefix("cut: ") == true)
            #expect(part?["comment"]?.string?.hasSuffix(" of 80004 bytes") == true)
        }
        #expect(entry["_coreNetKit"]?["cut"]?.bool == true)
        #expect(record.curl?.hasPrefix("# the content is cut: the end of 80004 bytes was not kept\n") == true)
    }

    @Test("a call served from the cache has the stored tier and status, even of a failure", arguments: [203, 404])
    func cached(status: Int) async throws {
        let mock = MockTransport {
            $0.on(.get, "/a", MockResponse.json("{}", status: status).header("Cache-Control", "max-age=100"))
        }
        let (recorder, metrics) = (CallRecorder(), CallMetrics())
        let client = Client(transport: mock).cache(with: ResponseCache()).record(in: recorder).record(to: metrics)
        let chain: Chain<Void, Json> = UrlChainsBuilder<URL>(client: client).route(.get, url("http://a.test/a")).build()
        for isHit in [false, true] {
            _ = try? await chain.process()
            await client.flushRecords()
            let entry = try #require(try recorder.last?.entries().first)
            #expect(entry["response"]?["status"]?.int == status)
            #expect(entry["_coreNetKit"]?["cause"]?.string == (isHit ? "cache" : "first"))
            if isHit { #expect(entry["_coreNetKit"]?["cache"]?.string?.hasPrefix("hit") == true) }
            #expect(entry["_fromCache"]?.string == (isHit ? "memory" : nil))
        }
        #expect(mock.requests.count == 1)
        #expect(metrics.prometheus.contains(#"corenetkit_client_cache_total{outcome="hit"} 1"#))
    }

    @Test("a call's span has its method, template and URL, and the resource names its program")
    func callSpan() async throws {
        let mock = MockTransport { $0.on(nil, "/**", .ok) }
        let record = try #require(
            await record(Client(transport: mock)) {
                $0.route(.get, url("http://a.test/users/7")).template("/users/{id}")
            }
        )
        let json = try Json(parsing: OTLPTraces.data(of: [record], service: "shop", includesCalls: true))
        let resource = try #require(json["resourceSpans"]?[0])
        let names = resource["resource"]?["attributes"]?.array?.compactMap { $0["key"]?.string } ?? []
        #expect(names == ["service.name", "telemetry.sdk.name", "telemetry.sdk.language", "telemetry.sdk.version"])
        let spans = try #require(resource["scopeSpans"]?[0]?["spans"]?.array)
        let call = try #require(spans.last)
        #expect(call["name"]?.string == "call GET /users/{id}")
        var attributes: [String: String] = [:]
        for attribute in call["attributes"]?.array ?? [] {
            attributes[attribute["key"]?.string ?? ""] = attribute["value"]?["stringValue"]?.string
        }
        #expect(attributes["http.request.method"] == "GET" && attributes["url.template"] == "/users/{id}")
        #expect(attributes["url.full"] == "http://a.test/users/7")
    }

    @Test("archive and scope name the package's version, as in its changelog")
    func version() async throws {
        let headings = try Repository.text("CHANGELOG.md").split(separator: "\n").filter {
            $0.hasPrefix("## ") && !$0.hasPrefix("## Unreleased")
        }
        let latest = try #require(headings.first?.split(separator: " ").dropFirst().first)
        #expect(PackageVersion.text == latest)
        let archive = try Json(parsing: HARWriter.data(of: []))
        #expect(archive["log"]?["creator"]?["version"]?.string == PackageVersion.text)
    }

    @Test("a cancelled request is marked in its series and its span, and is no error there")
    func cancelled() async throws {
        let mock = MockTransport { $0.on(nil, "/**", .stall) }
        let (recorder, metrics) = (CallRecorder(), CallMetrics())
        let client = Client(transport: mock).record(in: recorder).record(to: metrics)
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: client).route(.get, url("http://a.test/")).build()
        let call = Task { try await chain.process() as Void }
        try await mock.waitForRequests(1)
        call.cancel()
        _ = await call.result
        await client.flushRecords()
        let text = metrics.prometheus
        #expect(text.contains("http_client_request_duration_seconds_count{"))
        #expect(text.contains(#"error_type="cancelled""#))
        let span = try #require(try recorder.last?.spans().first)
        #expect(span.attribute("error.type") == "cancelled")
        #expect(span["status"]?["code"] == nil)
    }

    /// Where `.ci/install-tools` or its package puts it.
    private static let promtool = ["/usr/local/bin/promtool", "/usr/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(
        "metrics pass the checks of Prometheus",
        .enabled(if: Self.promtool != nil)
    )
    func prometheusChecks() async throws {
        let mock = MockTransport { $0.on(nil, "/**", .status(503), .ok) }
        let metrics = CallMetrics()
        let client = Client(transport: mock).retry(.standard).record(to: metrics).record(to: metrics.activeRequests)
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: client).route(.get, url("http://a.test/")).build()
        try await chain.process()
        metrics.recordsDropped(1)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("metrics-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(metrics.prometheus.utf8).write(to: file)
        let promtool = try #require(Self.promtool)
        let output = try #require(popen("\(promtool) check metrics < '\(file.path)' 2>&1", "r"))
        var said = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, output), count > 0 { said += buffer[..<count] }
        #expect(pclose(output) == 0, "\(String(decoding: said, as: UTF8.self))")
    }

    @Test("the flag for random ids is passed on, and set for our own ids", arguments: ["00", "01", "02", "03"])
    func randomFlag(flags: String) throws {
        let field = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
        let context = try #require(TraceContext(traceparent: field))
        #expect(context.traceparent == field)
        #expect(context.isRandom == (flags == "02" || flags == "03"))
    }
}
