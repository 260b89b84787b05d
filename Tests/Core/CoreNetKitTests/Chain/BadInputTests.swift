import TestSupport

@Suite("Bad input", .timeLimit(.minutes(10)), .paced)
struct BadInputTests {
    @Test(
        "an unusable URL is an error that says so, and nothing is sent",
        arguments: [
            "", "a.test/x", "/x", "ftp://a.test/", "file:///etc/passwd", "http://", "http:///x", "http://a b/",
            "mailto:a@b",
        ]
    )
    func urls(text: String) async throws {
        let requests = Recorder<TransportRequest>()
        let builder = UrlChainsBuilder<String>().set(transport: requests.transport()).route(.get, text)
        let error = await failure { try await builder.build().process() }
        #expect(error?.code == .invalidURL)
        #expect(requests.values.isEmpty)
    }

    @Test("a throwing route is an invalid URL with its error as the cause")
    func throwingRoute() async throws {
        struct Missing: Error {}
        struct Route: UrlRouteProvider, Sendable {
            func url() throws -> URL { throw Missing() }
        }
        let builder = UrlChainsBuilder<Route>().set(transport: ClosureTransport()).route(.get, Route())
        let error = await failure { try await builder.build().process() }
        #expect(error?.code == .invalidURL)
        #expect(error?.cause is Missing)
    }

    /// The error of a request that cannot be sent.
    private func refusal(_ change: (UrlChainsBuilder<URL>, URL) -> UrlChainsBuilder<URL>) async throws -> NetworkError?
    {
        let server = try LoopbackServer { _ in .ok }
        let error = await failure { try await change(UrlChainsBuilder<URL>(), server.url).build().process() }
        #expect(error?.code == .invalidRequest)
        #expect(server.requests.isEmpty)
        return error
    }

    @Test("a header cannot be used to inject another line", arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\u{0}b"])
    func headerInjection(value: String) async throws {
        let error = try await refusal { $0.set(metadata: ["X-Name": value]).route(.get, $1) }
        #expect(error?.message.contains("X-Name") == true)
    }

    @Test("a method that is not a token is refused", arguments: ["", "GE T", "GET\r\nX: 1", "Gé"])
    func methods(text: String) async throws { _ = try await refusal { $0.route(HTTPMethod(rawValue: text), $1) } }

    @Test("timeouts that are not positive are refused", arguments: [Duration.zero, .seconds(-1)])
    func timeouts(duration: Duration) async throws {
        _ = try await refusal { $0.set(timeouts: Timeouts(firstByte: duration)).route(.get, $1) }
    }

    @Test(
        "invalid UTF-8 is a decoding error",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x28, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]]
    )
    func invalidUtf8(bytes: [UInt8]) async throws {
        let transport = ClosureTransport { .init(status: 200, body: .bytes(Data(bytes)), url: $0.url) }
        let builder = UrlChainsBuilder<String>().set(transport: transport).route(.get, "http://a.test/")
        let json = await #expect(throws: NetworkError.self) { let _: Json = try await builder.build().process() }
        let text = await #expect(throws: NetworkError.self) { let _: String = try await builder.build().process() }
        #expect(json?.code == .decodingFailed && text?.code == .decodingFailed)
    }

    @Test("a custom node's error is kept as the cause")
    func foreignError() async throws {
        struct Odd: Error {}
        let builder = UrlChainsBuilder<String>().set(transport: ClosureTransport()).route(.get, "http://a.test/")
            .insert(at: .call) { _ in
                AnyNode<TransportRequest, TransportResponse>("Odd") { _, _ in throw Odd() }
            }
        let error = await #expect(throws: NetworkError.self) { try await builder.build().process() }
        #expect(error?.code == .nodeFailed)
        #expect(error?.cause is Odd)
    }
}
