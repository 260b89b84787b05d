import TestSupport

@Suite("Accepted media types", .timeLimit(.minutes(10)), .paced)
struct AcceptedTypeTests {
    private func builder(_ type: String?, _ text: String = "[1]", status: Int = 200) -> UrlChainsBuilder<String> {
        let headers = type.map { Headers([("Content-Type", $0)]) } ?? [:]
        let transport = ClosureTransport(status: status, headers: headers, text)
        return UrlChainsBuilder<String>(client: Client(transport: transport))
            .route(.get, "https://a.test/x?token=s3cret")
    }

    @Test(
        "passes",
        arguments: [
            ([.json], "application/json"), ([.json], "Application/JSON; charset=utf-8"),
            ([.json], "application/hal+json"),
            ([.json], nil), ([.json], ""), ([.xml, .json], "application/atom+xml"), (["image/*"], "image/png"),
            ([.text], "text/html"), (["text/csv", .json], "TEXT/CSV ; header=present"),
            (["*/*"], "image/png"), (["text/csv; charset=utf-8"], "text/csv"), ([" Text/CSV "], "text/csv"),
        ] as [([TransportResponse.AcceptedType], String?)]
    )
    func passes(_ types: [TransportResponse.AcceptedType], _ type: String?) async throws {
        let data = try await builder(type).accepting(types).loadData().process()
        #expect(data == Data("[1]".utf8))
    }

    @Test(
        "is refused, and the error names what was expected, what arrived, status and URL without secrets",
        arguments: [
            ([.json], "text/html", "expected application/json, got text/html (a login page?), status 200"),
            ([.json], "application/jsonp", "expected application/json, got application/jsonp, status 200"),
            (["image/*", .xml], "imagex/png", "expected image/* or application/xml, got imagex/png, status 200"),
        ] as [([TransportResponse.AcceptedType], String, String)]
    )
    func refused(_ types: [TransportResponse.AcceptedType], _ type: String, _ message: String) async throws {
        let error = await failure { _ = try await builder(type).accepting(types).loadData().process() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.hasPrefix("\(message) from https://a.test/x") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s3cret") == false)
        #expect(error?.response?.body == Data("[1]".utf8))
        #expect(error?.node == "AcceptedTypeNode")
    }

    @Test("does not count without content, nor for error statuses")
    func others() async throws {
        #expect(try await builder("text/html", "").accepting([.json]).loadData().process().isEmpty)
        #expect(try await builder("text/html", "", status: 204).accepting([.json]).loadData().process().isEmpty)
        let error = await #expect(throws: NetworkError.self) {
            try await builder("text/html", status: 404).accepting([.json]).loadData().process()
        }
        #expect(error?.code == .notFound)
    }

    @Test("is off by default; the last setting counts, and an empty one is refused")
    func settings() async throws {
        _ = try await builder("text/html").loadData().process()
        _ = try await builder("text/html").accepting([.json]).accepting(["text/html"]).loadData().process()
        let error = await failure { _ = try await builder("text/html").accepting([]).loadData().process() }
        #expect(error?.code == .invalidChain)
    }

    @Test("ends a stream of another type")
    func streams() async throws {
        let isClosed = Recorder<Bool>()
        let transport = ClosureTransport { request in
            let stream = ResponseStream(next: { Data("<".utf8) }, cancel: { isClosed.record(true) })
            return .init(status: 200, headers: ["Content-Type": "text/html"], body: .stream(stream), url: request.url)
        }
        let chain: Chain<Void, ResponseStream> = UrlChainsBuilder<String>(client: Client(transport: transport))
            .route(.get, "https://a.test/").accepting([.json]).loadStream()
        let error = await #expect(throws: NetworkError.self) { _ = try await chain.process() as ResponseStream }
        #expect(error?.code == .decodingFailed)
        #expect(!isClosed.values.isEmpty)
    }

    @Test("keeps a file of another type from its target, and leaves nothing beside it", arguments: [true, false])
    func files(isThere: Bool) async throws {
        let folder = try TemporaryFolder()
        let target = folder["ä b.json"]
        if isThere { try Data("old".utf8).write(to: target) }
        let mock = MockTransport { $0.on(.get, "/x", .text("<html>"), .status(404), .json("[1]")) }
        let chain = UrlChainsBuilder(client: Client(transport: mock)).route(.get, "http://a.test/x")
            .accepting([.json]).download(to: target)
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .decodingFailed)
        #expect(folder.names == (isThere ? ["ä b.json"] : []))
        if isThere { #expect(try Data(contentsOf: target) == Data("old".utf8)) }
        let missing = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(missing?.code == .notFound)
        #expect(folder.names == (isThere ? ["ä b.json"] : []))
        let response = try await chain.process()
        #expect(response.model == target)
        #expect(folder.names == ["ä b.json"])
        #expect(try Data(contentsOf: target) == Data("[1]".utf8))
    }
}

@Suite("A body that cannot be decoded", .timeLimit(.minutes(10)), .paced)
struct DecodingOriginTests {
    @Test(
        "names the path and what was found, and media type, status and URL, without secrets",
        arguments: [
            ("text/html; charset=utf-8", "<html>", "(text/html (a login page?), status 200 from https://a.test/x"),
            (
                "application/json", #"[{"name":"A","age":1,"photos":[{"id":"x","ref":5}]}]"#,
                "[0].photos[0].ref: expected String, found number (application/json, status 200 from https://a.test/x"
            ),
            (nil, "{}", "expected array, found object (no media type, status 200 from https://a.test/x"),
        ] as [(String?, String, String)]
    )
    func origin(_ type: String?, _ text: String, _ message: String) async throws {
        let headers = type.map { Headers([("Content-Type", $0)]) } ?? [:]
        let chain: Chain<Void, [User]> = UrlChainsBuilder<String>(
            client: Client(transport: ClosureTransport(status: 200, headers: headers, text))
        ).route(.get, "https://a.test/x?token=s3cret").build()
        let error = await failure { _ = try await chain.call() }
        #expect(error?.code == .decodingFailed && error?.response?.body == Data(text.utf8))
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s3cret") == false)
    }
}
