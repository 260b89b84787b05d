import TestSupport

@Suite("call() and observe() beside process()", .timeLimit(.minutes(10)), .paced)
struct CallNameTests {
    let requests = Recorder<TransportRequest>()

    func builder(_ text: String, status: Int = 200) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>().set(transport: requests.transport(status: status, text)).route(
            .post,
            "http://localhost/"
        )
    }

    var sent: [String] { requests.values.compactMap { $0.body.data.map { String(decoding: $0, as: UTF8.self) } } }

    @Test("give the same value, with and without an input")
    func values() async throws {
        let plain: Chain<Void, PlainUser> = builder(#"{"name":"A","age":1}"#).build()
        let sending: Chain<PlainUser, PlainUser> = builder(#"{"name":"A","age":1}"#).build()
        let user = PlainUser(name: "A", age: 1)

        #expect(try await plain.process() as PlainUser == user)
        #expect(try await plain.call() == user)
        #expect(try await plain.observe().value == user)
        #expect(try await sending.process(user) as PlainUser == user)
        #expect(try await sending.call(user) == user)
        #expect(try await sending.observe(user).value == user)
        #expect(sent.suffix(3) == Array(repeating: #"{"age":1,"name":"A"}"#, count: 3))
    }

    @Test("take literals of JSON with values of any kind")
    func literals() async throws {
        let answer: Json = try await builder("[1]").build().call(["all": true, "max": 20])
        let observer: Observer<Json> = builder("[1]").build().observe(["all": true, "max": 20])

        #expect(answer == [1])
        #expect(try await observer.value == [1])
        #expect(sent == Array(repeating: #"{"all":true,"max":20}"#, count: 2))
    }

    @Test("give the same error", arguments: [404, 503])
    func errors(status: Int) async throws {
        let chain: Chain<Void, PlainUser> = builder("{}", status: status).build()
        let forms: [() async throws -> PlainUser] = [
            { try await chain.process() }, { try await chain.call() }, { try await chain.observe().value },
        ]
        var errors: [NetworkError?] = []
        for form in forms { errors.append(await #expect(throws: NetworkError.self) { _ = try await form() }) }

        #expect(errors.map { $0?.status } == [status, status, status])
        #expect(Set(errors.map { $0?.code }).count == 1)
    }

    @Test("observe() starts one call, however many listeners it has")
    func oneCall() async throws {
        let chain: Chain<Void, PlainUser> = builder(#"{"name":"A","age":1}"#).build()
        let seen = Recorder<String>()
        let observer = chain.observe().onCompleted { seen.record($0.name) }.onCompleted { seen.record($0.name) }
        await observer.delivered()

        #expect(seen.values == ["A", "A"])
        #expect(requests.values.count == 1)
    }

    @Test("a listener without a parameter is called once when a call without a result succeeds")
    @MainActor
    func noResult() async {
        var events: [String] = []
        let chain: Chain<Void, Void> = builder("").build()
        await withCheckedContinuation { continuation in
            chain.observe()
                .onCompleted { events.append("completed") }
                .onError { events.append("\($0)") }
                .defer { continuation.resume() }
        }

        #expect(events == ["completed"])
    }

    @Test("cancelling the task that awaits call() closes the connection")
    func cancellation() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/head", .json("{}").fault(.stall(.beforeStatus)))
        let chain: Chain<Void, Json> = UrlChainsBuilder<URL>().route(.get, server.url("/head")).build()
        let task = Task { try await chain.call() }
        let request = try await server.request(at: 0)
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        try await server.waitForDisconnect(of: request.connection)
    }
}
