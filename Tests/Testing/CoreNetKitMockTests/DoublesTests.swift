import TestSupport

@Suite("Recording doubles", .timeLimit(.minutes(10)), .paced)
struct DoublesTests {
    private struct Mine: Error, Equatable {}

    @Test("a probe that is the last node responds with its closure and records inputs, contexts and outcomes")
    func lastNode() async throws {
        let node = ProbeNode<Int, String>(id: "Last") { input, context in
            guard input > 0 else { throw Mine() }
            return "\(input).\(context.attempt)"
        }
        var context = RequestContext()
        context.attempt = 3
        #expect(try await node.process(7, context: context) == "7.3")
        await #expect(throws: Mine.self) { try await node.process(0, context: .init()) }
        #expect(node.probe.inputs == [7, 0])
        #expect(node.probe.contexts.map(\.attempt) == [3, 1])
        #expect(node.probe.contexts.first?.id == context.id)
        #expect(node.probe.outputs == ["7.3"])
        #expect(node.probe.outcomes.count == 2)
        #expect(node.successors.isEmpty)
        #expect(node.id == "Last")
    }

    @Test("a probe in a chain sees both directions, once for each redirect, and is in the description")
    func inChain() async throws {
        let mock = MockTransport {
            $0.on(.get, "/old", .status(302, headers: ["Location": "/new"]))
            $0.on(.get, "/new", .json(User(name: "Ann", id: 1)))
        }
        let calls = Probe<TransportRequest, TransportResponse>()
        let exchanges = Probe<TransportRequest, TransportResponse>()
        let chain: Chain<Void, User> = UrlChainsBuilder<String>(client: Client(transport: mock))
            .route(.get, "https://api.example.com/old")
            .insert(at: .call) { ProbeNode(calls, id: "CallProbe", before: $0) }
            .insert(at: .exchange) { ProbeNode(exchanges, before: $0) }
            .build()
        let user: User = try await chain.process()
        #expect(user == User(name: "Ann", id: 1))
        #expect(calls.inputs.map(\.url.path) == ["/old"])
        #expect(calls.outputs.map(\.status) == [200])
        #expect(exchanges.inputs.map(\.url.path) == ["/old", "/new"])
        #expect(exchanges.outputs.map(\.status) == [302, 200])
        #expect(chain.description.contains("CallProbe"))
        try mock.verify()
    }

    @Test("a probe's inputs can be waited for")
    func waitForInputs() async throws {
        let clock = ManualClock()
        let node = ProbeNode<Int, Int> { input, _ in
            try await clock.sleep(for: .seconds(1))
            return input
        }
        let call = Task { try await node.process(1, context: .init()) }
        #expect(try await node.probe.waitForInputs(1) == [1])
        #expect(node.probe.outcomes.isEmpty)
        try await clock.advanceToNextSleeper()
        #expect(try await call.value == 1)
    }

    @Test("a failing transport fails each exchange, by error or by code")
    func failing() async throws {
        await #expect(throws: Mine.self) { try await FailingTransport(Mine()).text(.get, "/a") }
        let error = try await transportError { _ = try await FailingTransport(.cannotConnect).text(.get, "/a") }
        #expect(error?.code == .cannotConnect)
        #expect(error?.phase == .connect)
        #expect(error?.isSafeToResend == true)
    }

    @Test("a recording sink keeps the log tree of each call")
    func sink() async throws {
        let sink = RecordingSink()
        let client = Client(transport: MockTransport { $0.on(.get, "/a", .ok, .status(500)) }).log(to: sink)
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client)
            .route(.get, "https://api.example.com/a")
            .build()
        try await chain.process() as Void
        await #expect(throws: NetworkError.self) { try await chain.process() as Void }
        let trees = try await sink.waitForLogTrees(2)
        #expect(trees.count == 2)
        if case .completed = trees[0].outcome {} else { Issue.record("\(trees[0])") }
        if case .failed = trees[1].outcome {} else { Issue.record("\(trees[1])") }
    }
}
