import TestSupport

@testable import CoreNetKitSignatures

@Suite("Signed calls", .timeLimit(.minutes(10)), .paced)
struct SignaturePolicyTests {
    private static let position = ChainPosition.inside(of: .exchange, "signature")
    private let ours: TokenRefresher.Origins = ["https://ours.test"]
    private let key = HTTPMessageSignature.Key(id: "k") { $0 }

    private func get(_ client: Client, _ url: String) async throws {
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(.get, url).build()
        try await chain.call()
    }

    /// Responds to all.
    private let mock = MockTransport { $0.on(.get, "/", .ok) }

    private func fields(_ mock: MockTransport, _ name: String) -> [Bool] {
        mock.requests.map { $0.headers.contains(name) }
    }

    @Test("each attempt is signed anew, with the time at which it is sent")
    func attempts() async throws {
        let clock = ManualClock()
        let mock = MockTransport { $0.on(.get, "/", .status(503, headers: ["Retry-After": "5"]), .ok) }
        let client = Client(transport: mock, clock: CallClock(clock)) {
            Date.manual.addingTimeInterval(clock.now.offset / .seconds(1))
        }
        let signing = client.retry(.standard).signature(.example(origins: ours))
        let call = Task { try await get(signing, "https://ours.test/") }
        try await clock.advanceToNextSleeper()
        try await call.value
        let dates = mock.requests.compactMap { $0.headers["X-Amz-Date"] }
        #expect(dates.count == 2 && dates.first == "20130524T000000Z" && dates.last ?? "" >= "20130524T000005Z")
        #expect(Set(mock.requests.map { $0.headers["Authorization"] }).count == 2)
    }

    @Test("a redirect is signed for its target, and not at all on another origin")
    func redirects() async throws {
        let mock = MockTransport { mock in
            mock.on(.get, "https://ours.test/a", .status(302, headers: ["Location": "/b"]))
            mock.on(.get, "https://ours.test/b", .status(307, headers: ["Location": "https://theirs.test/c"]))
            mock.on(.get, "https://theirs.test/c", .ok)
        }
        let client = Client(transport: mock, date: { .manual })
        try await get(client.signature(.example(token: "t", origins: ours)), "https://ours.test/a")
        #expect(fields(mock, "Authorization") == [true, true, false])
        #expect(fields(mock, "X-Amz-Security-Token") == [true, true, false])
        #expect(mock.requests[0].headers["Authorization"] != mock.requests[1].headers["Authorization"])
        let signature = HTTPMessageSignature(key, covering: ["@path"], origins: ours)
        try await get(client.signature(signature), "https://ours.test/a")
        #expect(fields(mock, "Signature").suffix(3) == [true, true, false])
        #expect(mock.requests.allSatisfy { $0.headers[values: "Signature"].count < 2 })
    }

    @Test("nothing is signed for another origin, even if a link leads there")
    func elsewhere() async throws {
        let client = Client(transport: mock).signature(.example(origins: ours))
        for url in ["http://ours.test/", "https://ours.test:8443/", "https://ours.test.theirs.test/"] {
            try await get(client, url)
        }
        #expect(fields(mock, "Authorization") == [false, false, false])
    }

    @Test("the last signature counts, and without(_:) switches it off")
    func last() async throws {
        let client = Client(transport: mock).signature(.example(origins: ours))
        try await get(client.signature(HTTPMessageSignature(key, covering: [], origins: ours)), "https://ours.test/")
        try await get(client.without(Self.position), "https://ours.test/")
        #expect(fields(mock, "Authorization") == [false, false])
        #expect(fields(mock, "Signature") == [true, false])
    }

    @Test("covers the fields of other nodes, whatever the order of verbs")
    func order() async throws {
        let client = Client(transport: mock).signature(HTTPMessageSignature(key, covering: ["x-late"], origins: ours))
            .insert(at: .exchange) { AnyNode("Late", before: $0) { request, _ in request.headers["X-Late"] = "1" } }
        try await get(client, "https://ours.test/")
        #expect(fields(mock, "Signature") == [true])
    }

    @Test(
        "no origins, or wrong ones, or an impossible name, fail each call before it is sent",
        arguments: [
            .example(origins: []), .example(origins: .unnamed), .example(origins: ["https://ours.test/path"]),
            .example("s 3", origins: ["https://ours.test"]), .example("", origins: ["https://ours.test"]),
        ] as [AWSSignature]
    )
    func settings(signature: AWSSignature) async {
        let error = await failure { try await get(Client(transport: mock).signature(signature), "https://ours.test/") }
        #expect(error?.code == .invalidChain)
        #expect(error?.message.contains("signature") == true)
        #expect(mock.requests.isEmpty)
    }

    @Test("an error of the credentials or the key is the cause of the call's, and nothing is sent")
    func causes() async {
        struct Refused: Error {}
        let client = Client(transport: mock)
        let broken = HTTPMessageSignature(.init(id: "k") { _ in throw Refused() }, covering: [], origins: ours)
        let role = AWSSignature(service: "s3", region: "r", origins: ours) { throw Refused() }
        for client in [client.signature(broken), client.signature(role)] {
            let error = await failure { try await get(client, "https://ours.test/") }
            #expect(error?.code == .nodeFailed && error?.cause is Refused)
        }
        #expect(mock.requests.isEmpty)
    }

    @Test(
        "over a socket the server computes the same signature",
        arguments: ["/a+b (c)*?x=1+2&y&z=~", "/", "/%7Ea//b?"]
    )
    func wire(target: String) async throws {
        let server = try LoopbackServer { _ in .ok }
        let origins = TokenRefresher.Origins.only([server.url.absoluteString])
        let signature = AWSSignature.example(token: "t", origins: origins)
        let client = Client(date: { .manual }).signature(signature)
        let url = try #require(URL(string: server.url.absoluteString + target))
        let chain: Chain<[String: String], Void> = UrlChainsBuilder<URL>(client: client).route(.post, url).build()
        try await chain.call(["a": "b"])
        let arrived = try #require(server.requests.first)
        let field = try #require(arrived.headers["Authorization"])
        let names = try #require(field.firstMatch(of: /SignedHeaders=([^,]*)/)).1.split(separator: ";")
        #expect(names.contains("content-type") && names.contains("host"))
        let covered = arrived.headers.filter { field in
            field.name.lowercased() != "host" && names.contains { $0 == field.name.lowercased() }
        }
        let (body, headers) = (RequestBody.bytes(arrived.body), Headers(covered.map { ($0.name, $0.value) }))
        let address = try #require(URL(string: server.url.absoluteString + arrived.target))
        let request = TransportRequest(method: arrived.method, url: address, headers: headers, body: body)
        let again = try await signature.signed(request, at: .manual)
        #expect(again.headers["Authorization"] == field)
        #expect(arrived.headers["X-Amz-Content-Sha256"] == ContentHash.sha256(arrived.body).hex)
    }
}
