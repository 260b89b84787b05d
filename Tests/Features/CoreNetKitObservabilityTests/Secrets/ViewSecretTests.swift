import CoreNetKitObservability
import SecretKinds
import TestSupport

/// A call with all of the table in its fields, URLs and contents.
@Suite("Views and the secret rules", .timeLimit(.minutes(10)), .paced)
struct ViewSecretTests {
    private static let canary = SecretKind.canary

    private func transport(_ kind: SecretKind?, _ json: String) -> MockTransport {
        var response = MockResponse.json(json)
        if let name = kind?.field { response = response.header(name, Self.canary) }
        if let url = kind?.url {
            response = response.header("Content-Location", url).header("Link", "<\(url)>; rel=next")
        }
        return MockTransport { [response] in $0.on(nil, "/**", response) }
    }

    private func record(_ kind: SecretKind) async throws -> CallRecord {
        let recorder = CallRecorder(keepsBodies: true)
        let client = Client(transport: transport(kind, kind.json)).record(in: recorder)
        let base = kind.url.flatMap { $0.hasPrefix("http") ? $0 : nil } ?? "https://a.test/x"
        _ =
            try await UrlChainsBuilder<String>(client: client).set(headers: kind.field.map { [$0: Self.canary] } ?? [:])
            .insert(at: .exchange) { next in
                AnyNode("Curious", before: next) { _, context in
                    if let message = kind.message { context.record(.warning, "Curious", message) }
                }
            }
            .route(.get, base).loadData().call() as Data
        return try await recorder.last(of: client)
    }

    @Test("none of the table's secrets is in a log, an archive, a page, a command, a span or an event")
    func views() async throws {
        for kind in SecretKind.all {
            let record = try await record(kind)
            let views = [record].views
            // Not clean because it is empty.
            #expect(views["archive"]?.contains(Redactor.word) == true || kind.text.contains("#"), "\(kind)")
            for (name, text) in views { #expect(!text.contains(Self.canary), "\(kind) in \(name)") }
        }
    }

    @Test("a secret that is wherever one fits is in no view of a record")
    func everywhere() async throws {
        let message = "GET http://u:\(Samples.canary)@a.test/?token=\(Samples.canary) was lost"
        let error = NetworkError(.connectionLost, message, node: "TransportNode")
        let views = [try await Samples.record(), try await Samples.failure(error)].views
        for (name, text) in views {
            #expect(!text.contains(Samples.canary), "\(name)")
            #expect(text.count > 100, "\(name) is not clean because it is empty")
        }
    }

    @Test("harmless values are unchanged in the log and the archive")
    func harmless() async throws {
        let recorder = CallRecorder(keepsBodies: true)
        let members =
            (HarmlessName.members.map { #""\#($0)":"CAUQAA~b-7""# } + HarmlessName.numbers.map { #""\#($0)s1":42"# })
        let json = "{\(members.joined(separator: ","))}"
        let client = Client(transport: transport(nil, json)).record(in: recorder)
        let query = HarmlessName.items.map { "\($0)=b-7" }.joined(separator: "&")
        // The transport's own, and those whose parameters are never shown.
        let wires: Set = ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE"]
        let fields = HarmlessName.fields.filter { !wires.contains($0) && !$0.hasSuffix("-Authenticate") }
        let builder = UrlChainsBuilder<String>(client: client).set(headers: Headers(fields.map { ($0, "b-7") }))
        _ = try await builder.route(.get, "https://a.test/x?\(query)").loadData().call() as Data
        let record = try await recorder.last(of: client)
        let sent = try #require(record.sent.first)
        #expect(sent.url == "https://a.test/x?\(query)")
        #expect(fields.filter { sent.headers[$0] != "b-7" } == [])
        let received = record.events.lazy.compactMap { event -> Data? in
            if case .responseHead(let head) = event.kind { head.body } else { nil }
        }.first
        #expect(received.map { String(decoding: $0, as: UTF8.self) } == json)
    }
}

@Suite("Tapes and the secret rules", .timeLimit(.minutes(10)), .paced)
struct TapeSecretTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.tape }

    init() throws { folder = try TemporaryFolder() }

    private func request(_ url: String, _ headers: Headers = [:]) throws -> TransportRequest {
        TransportRequest(url: try #require(URL(string: url)), headers: headers)
    }

    @Test("no tape contains any of the table's secrets")
    func table() async throws {
        for kind in SecretKind.all {
            let live = MockTransport { $0.on(nil, "/**", .json(kind.json)) }
            let tape = try Cassette(file, mode: .rewrite, live: live)
            let url = kind.url.flatMap { $0.hasPrefix("http") ? $0 : nil } ?? "https://a.test/x"
            _ = try await tape.send(request(url, kind.field.map { [$0: SecretKind.canary] } ?? [:]))
            #expect(try !String(contentsOf: file, encoding: .utf8).contains(SecretKind.canary), "\(kind)")
        }
    }

    @Test("a tape of 0.2 plays: values it shows that are secret now, and values it hides that are not")
    func old() async throws {
        let id = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3"
        let url = "https://a.test/x?sv_sig=shown&cursor=%7B%7Bcursor-1%7D%7D&token=%7B%7Btoken-1%7D%7D"
        let tape = #"""
            {"log":{"version":"1.2","_coreNetKit":{"version":1,"recordedAt":"Sun, 22 Nov 2026 10:00:00 GMT"},"entries":[
            {"startedDateTime":"2026-11-22T00:00:00Z","time":1,
            "request":{"method":"GET","url":"\#(url)","headers":[{"name":"X-Session-Id","value":"shown"}]},
            "response":{"status":200,"headers":[],"content":{"text":"played"}}}]}}
            """#
        try Data(tape.utf8).write(to: file)
        let match: [CassetteMatch] = .standard + [.header("X-Session-Id")]
        let player = try Cassette(file, match: match)
        let asked = try request("https://a.test/x?sv_sig=other&cursor=\(id)&token=t", ["X-Session-Id": "other"])
        #expect(try await text(player, asked) == "played")
    }

    @Test("a client's rules, and those given to a tape, count")
    func own() async throws {
        let rules = SecretRules.standard.adding(fields: ["X-Corp-Id"])
        let live = MockTransport { $0.on(nil, "/**", .ok) }
        var options = Cassette.Options()
        for isGiven in [true, false] {
            options.secretRules = isGiven ? rules : .standard
            let tape = try Cassette(file, mode: .rewrite, live: live, options: options)
            let client = Client(transport: tape).secrets(isGiven ? .standard : rules)
            try await UrlChainsBuilder<String>(client: client)
                .set(headers: ["X-Corp-Id": SecretKind.canary]).route(.get, "https://a.test/x").build().process()
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(SecretKind.canary) && text.contains("{{x-corp-id-1}}"))
            #expect(text.contains(#""secrets""#))
        }
    }
}
