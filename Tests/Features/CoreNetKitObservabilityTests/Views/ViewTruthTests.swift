import CoreNetKitCache
import CoreNetKitObservability
import TestSupport

@Suite("Views show what happened", .timeLimit(.minutes(10)), .paced)
struct ViewTruthTests {
    @Test("request fields are those of the wire if contents are kept, without secrets")
    func sentFields() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.on(.get, "/a", .text("a"))
        let recorder = CallRecorder(keepsBodies: true)
        let client = Client().record(in: recorder)
        try await UrlChainsBuilder<URL>(client: client).set(metadata: ["Authorization": "Bearer s3cret"])
            .route(.get, server.url("/a")).build().call()
        let record = try await recorder.last(of: client)
        let wire = try #require(server.requests.first).headers
        var shown: [String: String] = [:]
        for field in try record.entries().first?["request"]?["headers"]?.array ?? [] {
            shown[field["name"]?.string ?? ""] = field["value"]?.string
        }
        for field in wire where field.name != "Authorization" { #expect(shown[field.name] == field.value, "\(field)") }
        #expect(shown["Authorization"] == "Bearer REDACTED")
        let agent = try #require(wire["User-Agent"])
        #expect(record.curl?.contains("--header 'User-Agent: \(agent)'") == true)
        #expect(CallPage([record]).html.contains(agent))
    }

    @Test("a command keeps the client's unrecorded name, and an unset variable is an error")
    func command() async throws {
        let recorder = CallRecorder()
        let client = Client(transport: MockTransport { $0.on(nil, "/**", .ok) }).record(in: recorder)
        try await client.text("http://a.test/?token=x")
        let command = try #require(try await recorder.last(of: client).curl)
        #expect(!command.contains("User-Agent"))
        #expect(command.contains(#""${URL_TOKEN:?}""#))
        let login = post("http://a.test/", #"{"password":"REDACTED","a":1}"#)
        #expect(CurlCommand(CallEvent.SentRequest(login, keeping: .max)).variables == ["PASSWORD"])
    }

    @Test("the page shows why the server refused only if the client logs contents")
    func reason() async throws {
        for contents in [0, 2048] {
            let recorder = CallRecorder()
            let mock = MockTransport { $0.on(nil, "/**", .json(#"{"error":"the name is taken"}"#, status: 422)) }
            let client = Client(transport: mock).record(in: recorder).log(contents: contents)
            await #expect(throws: NetworkError.self) { try await client.text("http://a.test/") }
            let html = CallPage([try await recorder.last(of: client)]).html
            #expect(html.contains("the name is taken") == (contents > 0))
        }
    }

    @Test("truncated content is marked in the archive and in the command")
    func cut() async throws {
        let long = String(repeating: "é", count: 40_000)
        let scene = Scene { $0.on(nil, "/**", .json("[\"\(long)\"]")) }
        let builder = UrlChainsBuilder<URL>(client: scene.client).route(.post, url("http://a.test/"))
        let chain: Chain<[String], Json> = builder.build()
        _ = try await chain.process([long])
        let record = try await scene.record()
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
        let client = Client(transport: mock).cache(ResponseCache()).record(in: recorder).record(to: metrics)
        for isHit in [false, true] {
            _ = try? await client.text("http://a.test/a")
            let entry = try #require(try await recorder.last(of: client).entries().first)
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
        let scene = Scene { $0.on(nil, "/**", .ok) }
        let builder = UrlChainsBuilder(client: scene.client).route(.get, "http://a.test/users/7")
        try await builder.template("/users/{id}").build().process()
        let record = try await scene.record()
        let json = try Json(parsing: OTLPTraces.data(of: [record], service: "shop", includesCalls: true))
        let resource = try #require(json["resourceSpans"]?[0])
        let names = resource["resource"]?["attributes"]?.array?.compactMap { $0["key"]?.string } ?? []
        #expect(names == ["service.name", "telemetry.sdk.name", "telemetry.sdk.language", "telemetry.sdk.version"])
        let call = try #require(json.spans.last)
        #expect(call["name"]?.string == "call GET /users/{id}")
        #expect(call.attribute("http.request.method") == "GET")
        #expect(call.attribute("url.template") == "/users/{id}")
        #expect(call.attribute("url.full") == "http://a.test/users/7")
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
        let (scene, metrics) = (Scene { $0.on(nil, "/**", .stall) }, CallMetrics())
        let client = scene.client.record(to: metrics)
        let call = Task { try await scene.get("http://a.test/", client) }
        try await scene.mock.waitForRequests(1)
        await call.cancelAndWait()
        await client.flushRecords()
        let text = metrics.prometheus
        #expect(text.contains("http_client_request_duration_seconds_count{"))
        #expect(text.contains(#"error_type="cancelled""#))
        let span = try #require(try scene.recorder.last?.spans().first)
        #expect(span.attribute("error.type") == "cancelled")
        #expect(span["status"]?["code"] == nil)
    }

    /// Where `.ci/install-tools` or its package puts it.
    private static let promtool = ["/usr/local/bin/promtool", "/usr/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("metrics pass the checks of Prometheus", .enabled(if: Self.promtool != nil))
    func prometheusChecks() async throws {
        let mock = MockTransport { $0.on(nil, "/**", .status(503), .ok) }
        let metrics = CallMetrics()
        let client = Client(transport: mock).retry(.standard).record(to: metrics).record(to: metrics.activeRequests)
        try await client.text("http://a.test/")
        metrics.recordsDropped(1)
        let folder = try TemporaryFolder()
        let file = try folder.file(Data(metrics.prometheus.utf8))
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

    private func record(_ phase: TransportError.Phase, _ length: Duration) async throws -> CallRecord {
        var timings = TransportTimings.fresh()
        timings[keyPath: phase.row.length] = length
        return try await Samples.exchanges(Samples.response(200, timings), taking: 200)
    }

    @Test(
        "a phase of an exchange is shown by every view, with its letter, name, colour and length",
        arguments: TransportError.Phase.all
    )
    func phases(phase: TransportError.Phase) async throws {
        let record = try await record(phase, .milliseconds(20))
        let bar = String(repeating: phase.row.letter, count: 4)
        #expect(TextWaterfall.legend.contains("  \(phase.row.letter) "))
        let colored = TextWaterfall(columns: 400, isColored: true).text(of: record)
        #expect(colored.contains("m" + bar) && !colored.contains("[0m" + bar))
        let page = try ShownPage([record])
        #expect(page.markup.contains("\(phase.row.name)</li>") && page.style.contains(".\(phase.rawValue) {"))
        let row = try #require(page.calls[0]["r"]?[0])
        #expect(page.parts(row).first { $0.kind == phase.rawValue }?.length == 20_000)
        let slices = try Json(parsing: TraceEvents.data(of: [record]))["traceEvents"]?.array ?? []
        #expect(slices.contains { $0["cat"]?.string == "phase" && $0["name"]?.string == phase.row.name })
        let longer = try await self.record(phase, .milliseconds(27)).entries()[0]["time"]?.double
        #expect(try longer == record.entries()[0]["time"]?.double.map { $0 + 7 })
    }
}
