import TestSupport

@Suite("Unwanted content", .timeLimit(.minutes(10)), .paced)
struct NoContentTests {
    /// More than is ever collected.
    private static let chunks = (70 << 20) / (1 << 16)

    /// The memory of this process; nothing is told where the system does not.
    private static func memory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }

    /// A server with 70 MiB, which notes how the process has grown from its first chunk to its last.
    private func server(_ growth: Recorder<Int>) throws -> LoopbackServer {
        let server = try LoopbackServer()
        let first = Recorder<Int>()
        let chunk = Data(repeating: 0x20, count: 1 << 16)
        server.on(
            .get,
            "/large",
            .stream(length: Self.chunks << 16) { index in
                if index == 0 { first.record(Self.memory()) }
                if index == Self.chunks - 1 { growth.record(Self.memory() - (first.values.last ?? 0)) }
                return index < Self.chunks ? chunk : nil
            }
        )
        return server
    }

    @Test("a Void chain and Response<Void> read 70 MiB to the end and keep nothing")
    func large() async throws {
        let growth = Recorder<Int>()
        let server = try server(growth)
        let builder = UrlChainsBuilder<URL>(client: Client()).route(.get, server.url("/large"))
        for _ in 0..<3 { try await builder.build().process() }
        let response: Response<Void> = try await builder.build().process()
        #expect(response.status == 200)
        #expect(response.timings.bytesReceived ?? .max > 70 << 20)
        // Other tests need memory at the same time: the least counts.
        #expect(try #require(growth.values.min()) < 32 << 20)
        let collected = await #expect(throws: NetworkError.self) { _ = try await builder.loadData().process() as Data }
        #expect(collected?.code == .responseTooLarge)
    }

    @Test("Response<Void> has status and fields, with and without a model to send")
    func contentless() async throws {
        let mock = MockTransport {
            $0.on(.get, "/x", .text("content").header("ETag", "\"1\""))
            $0.on(.post, "/x", .status(201))
        }
        let builder = UrlChainsBuilder<String>(client: Client(transport: mock))
        let got: Response<Void> = try await builder.route(.get, "http://a.test/x").build().process()
        #expect(got.status == 200 && got.headers["ETag"] == "\"1\"")
        let sent: Chain<User, Response<Void>> = builder.route(.post, "http://a.test/x").build()
        #expect(try await sent.process(User.ada).status == 201)
        let plain: Chain<PlainUser, Response<Void>> = builder.route(.post, "http://a.test/x").build()
        #expect(try await plain.process(PlainUser(name: "Ada", age: 36)).status == 201)
        #expect(mock.requests.allSatisfy { $0.delivery == .discard })
    }

    @Test("HEAD has no content by nature: Json is null, optionals nil, collections empty, in a Response too")
    func head() async throws {
        let server = try LoopbackServer()
        server.on(.head, "/x", .status(200).header("X-Count", "7"))
        let builder = UrlChainsBuilder<URL>(client: Client()).route(.head, server.url("/x"))
        let json: Response<Json> = try await builder.build().process()
        let maybe: Response<PlainUser?> = try await builder.build().process()
        let list: Response<[PlainUser]> = try await builder.build().process()
        let nothing: Response<Void> = try await builder.build().process()
        let model: User? = try await builder.build().process()
        #expect(json.model.isNull && json.headers["X-Count"] == "7")
        #expect(maybe.model == nil && list.model.isEmpty && model == nil)
        #expect(nothing.headers["X-Count"] == "7")
        let plain = await #expect(throws: NetworkError.self) { let _: PlainUser = try await builder.build().process() }
        #expect(plain?.code == .emptyBody)
    }
}
