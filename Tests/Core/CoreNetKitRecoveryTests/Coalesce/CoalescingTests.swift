import TestSupport

@Suite("Equal calls share one exchange", .timeLimit(.minutes(10)), .paced)
struct CoalescingTests {
    /// A wire that holds every request until it is released.
    final class Held: Sendable {
        let gate = Gate()
        let ended = Recorder<Bool>()
        let client: Client
        let wire: Wire

        init(status: Int = 200) {
            let (gate, ended) = (gate, ended)
            wire = Wire { index, request in
                try await ended.record(true, ifFails: gate.pass)
                return .init(status: status, body: .bytes(Data("\(index)".utf8)), url: request.url)
            }
            client = wire.client()
        }

        func builder(_ method: HTTPMethod = .get, _ path: String = "/") -> UrlChainsBuilder<String> {
            UrlChainsBuilder(client: client).coalesce().route(method, host + path)
        }

        func start(_ builder: UrlChainsBuilder<String>) -> Task<String, any Error> { builder.build().start() }

        /// Starts calls that wait in so many exchanges.
        func start(_ builders: [UrlChainsBuilder<String>], exchanges: Int = 1) async -> [Task<String, any Error>] {
            let calls = builders.map { start($0) }
            await waiting(calls.count)
            await gate.arrived(exchanges)
            return calls
        }

        func start(_ count: Int) async -> [Task<String, any Error>] {
            await start(Array(repeating: builder(), count: count))
        }

        func waiting(_ count: Int) async { await until { client.callsCoalesced == count } }
    }

    private let held = Held()

    @Test("equal calls in flight are one on the wire, and each gets the response; the next call is another")
    func shared() async throws {
        let calls = await held.start(5)
        held.gate.open()
        for call in calls { #expect(try await call.value == "0") }
        #expect(held.wire.count == 1)
        #expect(try await held.start(held.builder()).value == "1")
        #expect(held.client.callsCoalesced == 0)
    }

    @Test("different calls are not shared: method, URL, header fields, token refresher")
    func keys() async throws {
        let base = held.builder()
        let refreshers = (0..<2).map { _ in
            TokenRefresher(token: AccessToken("t"), origins: .any) { _ in AccessToken("t") }
        }
        let builders = [
            base, base.route(.head, host + "/"), base.route(.get, host + "/other"), base.set(query: ["a": 1]),
            base.set(metadata: ["Accept-Language": "de"]), base.authorize(refreshers[0]), base.authorize(refreshers[1]),
        ]
        let calls = await held.start(builders + builders, exchanges: builders.count)
        held.gate.open()
        for call in calls { _ = try await call.value }
        #expect(held.wire.count == builders.count)
    }

    @Test("with selected fields only those make a difference")
    func chosenFields() async throws {
        let builders = ["1", "2"].flatMap { id in
            ["de", "en"].map { language in
                held.builder().coalesce(by: ["accept-language"])
                    .set(metadata: ["X-Request-Id": id, "Accept-Language": language])
            }
        }
        let calls = await held.start(builders, exchanges: 2)
        held.gate.open()
        for call in calls { _ = try await call.value }
        #expect(held.wire.count == 2)
    }

    @Test("calls whose content stays coded share nothing with those whose content is decoded")
    func coded() async throws {
        let calls = [held.builder(), held.builder().set(contentCoding: .identity)].map { held.start($0) }
        await held.gate.arrived(2)
        held.gate.open()
        for call in calls { _ = try await call.value }
        #expect(held.wire.count == 2)
    }

    @Test("unsafe calls and streams are never shared")
    func unsafe() async throws {
        held.gate.open()
        let calls = [HTTPMethod.post, .put, .delete, .patch].flatMap { method in
            [held.start(held.builder(method)), held.start(held.builder(method))]
        }
        for call in calls { _ = try await call.value }
        #expect(held.wire.count == 8)
        let stream = held.builder().loadStream()
        async let first = stream.process()
        async let second = stream.process()
        _ = try await (first, second)
        #expect(held.wire.count == 10)
    }

    @Test("one failure reaches all")
    func failures() async throws {
        let held = Held(status: 404)
        let calls = await held.start(3)
        held.gate.open()
        for call in calls { #expect(await failure { _ = try await call.value }?.code == .notFound) }
        #expect(held.wire.count == 1)
    }

    @Test("each caller is cancelled separately, even the first", arguments: 0...2)
    func cancelOne(index: Int) async throws {
        let calls = await held.start(3)
        await cancel(calls[index])
        await held.waiting(2)
        #expect(held.ended.values.isEmpty)
        held.gate.open()
        for (position, call) in calls.enumerated() where position != index { #expect(try await call.value == "0") }
        #expect(held.wire.count == 1)
    }

    @Test("the last caller to leave ends the exchange on the wire")
    func cancelAll() async throws {
        let calls = await held.start(3)
        await cancel(calls)
        await until { held.ended.values.count == 1 }
        #expect(held.client.callsCoalesced == 0)
    }

    @Test("deadlines belong to callers: a short one ends alone, and a caller with time left starts again")
    func deadlines() async throws {
        let long = held.start(held.builder().set(deadline: .seconds(60)))
        await held.waiting(1)
        let short = held.start(held.builder().set(deadline: .seconds(5)))
        await held.waiting(2)
        // The exchange itself keeps the first caller's deadline; only callers that join it have a timer.
        await held.wire.clock.sleeping(5)
        held.wire.clock.advance(by: .seconds(5))
        #expect(await failure { _ = try await short.value }?.code == .deadlineExceeded)
        held.gate.open()
        #expect(try await long.value == "0")
        #expect(held.wire.count == 1)
    }
}
