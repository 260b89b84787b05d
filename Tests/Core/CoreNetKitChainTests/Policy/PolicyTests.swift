import TestSupport

@Suite("A replaced policy", .timeLimit(.minutes(10)), .paced)
struct ReplacedPolicyTests {
    /// Stands at some positions, and notes which of them requests pass.
    private struct Pair: ChainPolicy {
        let name: String
        let positions: [ChainPosition]
        let passed: Recorder<String>

        func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
            AnyNode("Pair", successors: [next]) { [name, passed] input, context in
                passed.record("\(name) \(position)")
                return try await next.process(input, context: context)
            }
        }
    }

    private func call(_ client: Client) async throws {
        try await UrlChainsBuilder<String>(client: client).route(.get, "http://a.test").build().process()
    }

    @Test(
        "is removed from all of its positions, even if the chain was assembled before",
        arguments: [true, false],
        [[ChainPosition.cache], [.store], [.cache, .store]]
    )
    func replaced(isAssembled: Bool, positions: [ChainPosition]) async throws {
        let passed = Recorder<String>()
        let transport = ClosureTransport(status: 200)
        let first = Client(transport: transport)
            .with(Pair(name: "old", positions: [.cache, .store], passed: passed))
        if isAssembled {
            try await call(first)
            #expect(passed.values == ["old cache", "old store"])
        }
        let count = passed.values.count
        try await call(first.with(Pair(name: "new", positions: positions, passed: passed)))
        #expect(Array(passed.values[count...]) == positions.map { "new \($0)" })
    }

    @Test("and a policy removed at one of its positions is removed at the other too", arguments: [true, false])
    func removed(isAssembled: Bool) async throws {
        let passed = Recorder<String>()
        let client = Client(transport: ClosureTransport(status: 200))
            .with(Pair(name: "old", positions: [.cache, .store], passed: passed))
        if isAssembled { try await call(client) }
        let count = passed.values.count
        try await call(client.without(.cache))
        try await call(client.without(.store))
        #expect(passed.values.count == count)
        try await call(client)
        #expect(passed.values.count == count + 2)
    }
}
