import TestSupport

@testable import CoreNetKitRecovery

@Suite("The standard policies", .timeLimit(.minutes(10)), .paced)
struct StandardTests {
    @Test("are nodes of the chain like all others, and each is replaced or removed by its own verb")
    func nodes() {
        let standard = Client(base: "http://a.test/api").standard()
        let whole: Chain<Void, Void> = standard.route(.get, "/users").build()
        #expect(
            whole.description == """
                VoidInputNode
                RequestNode
                ResponseNode
                BreakerNode
                LimitNode
                RetryNode
                StatusNode
                RedirectNode
                TransportNode
                """
        )
        #expect(whole.diagnostics.isEmpty)
        let replaced = standard.breaker(CircuitBreaker()).limit(perHost: 2).retry(RetryPolicy(limit: 1))
        #expect(replaced.chain().description == whole.description)
        let none = standard.without(.breaker).without(.limit).without(.retry)
        #expect(none.chain().description == Client().chain().description)
    }

    @Test("replace what was set before, the deadline too")
    func earlier() async throws {
        let client = Client().set(deadline: nil).retry(RetryPolicy(limit: 9)).standard()
        #expect(client.configuration.deadline == .seconds(60))
        #expect(client.set(deadline: .seconds(5)).configuration.deadline == .seconds(5))
        let wire = Wire(statuses: [503])
        let error = try await wire.clock.running {
            await wire.client().retry(RetryPolicy(limit: 9)).standard().chain().failure
        }
        #expect(wire.count == 3 && error?.history.count == 2)
    }

    @Test("repeat within the budget of the client")
    func budget() async {
        let wire = Wire(statuses: [503])
        let client = wire.client(budget: RetryBudget(ratio: 0, floor: 0)).standard()
        let error = await client.chain().failure
        #expect(wire.count == 1 && error?.message.contains("budget") == true)
    }

    @Test("reject calls to the origin that fails, and to no other; copies of the client share its breakers")
    func origins() async {
        let wire = Wire { _, request in
            .init(status: request.url.port == 81 ? 500 : 200, url: request.url)
        }
        let client = wire.client().standard().without(.retry)
        for _ in 0..<10 { _ = await client.chain(.get, "http://a.test:81/").failure }
        let copy = client.set(deadline: .seconds(5))
        #expect(await copy.chain(.get, "http://a.test:81/x").failure?.code == .circuitOpen)
        #expect(wire.count == 10)
        for url in ["http://a.test/", "https://a.test/", "http://b.test/"] {
            #expect(await client.chain(.get, url).failure == nil)
        }
        let fresh = wire.client().standard().without(.retry).chain(.get, "http://a.test:81/")
        #expect(await fresh.failure?.status == 500)
    }

    @Test("a breaker for each origin with wrong settings makes each call fail, and nothing is sent")
    func problem() async {
        let wire = Wire(statuses: [200])
        let error = await wire.client().breaker(perOrigin: { CircuitBreaker(ratio: 2) }).chain().failure
        #expect(error?.code == .invalidChain && wire.count == 0)
    }

    @Test("the number of breakers is bounded, and an open circuit outlasts closed ones")
    func bound() throws {
        let breakers = OriginBreakers { CircuitBreaker(minimumCalls: 1) }
        let clock = CallClock(ManualClock())
        func breaker(_ host: String) throws -> CircuitBreaker {
            breakers.breaker(of: Origin(try #require(URL(string: "http://\(host).test/"))))
        }
        let (open, closed) = (try breaker("open"), try breaker("closed"))
        try #require(open.admit(at: clock.now) == .passes(0))
        #expect(open.end(0, .failure, on: clock))
        for index in 0..<TableBound.most { _ = try breaker("h\(index)") }
        #expect(try breaker("open") === open)
        #expect(try breaker("closed") !== closed)
    }
}
