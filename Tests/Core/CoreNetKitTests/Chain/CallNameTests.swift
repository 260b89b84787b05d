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
}
