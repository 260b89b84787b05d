import TestSupport

@Suite("Signing out", .timeLimit(.minutes(10)), .paced)
struct SignOutTests {
    /// A custom keeper: remembers whose data it was asked to remove, at a gate.
    private final class Keeper: SessionDataOwner {
        struct Full: Error {}

        let kind: SignOut.Kind
        let asked = Recorder<Partition>()
        private let gate: Gate?
        private let fails: Bool

        init(_ kind: String, gate: Gate? = nil, fails: Bool = false) {
            (self.kind, self.gate, self.fails) = (SignOut.Kind(kind), gate, fails)
        }

        func removeData(of session: Partition.Session) async throws {
            if let gate { try await gate.pass() }
            asked.record(session.partition)
            if fails { throw Full() }
        }
    }

    private static func tokens(_ user: String? = "ann") -> TokenRefresher {
        TokenRefresher(token: AccessToken("a"), origins: .any, user: user) { _ in AccessToken("b") }
    }

    @Test("asks every keeper for the session that was signed in, and reports who failed or took too long")
    func leftovers() async throws {
        let (wire, gate) = (Wire(statuses: [200]), Gate())
        let keepers = [Keeper("quick"), Keeper("slow", gate: gate), Keeper("broken", fails: true)]
        let tokens = Self.tokens()
        let client = wire.client().authorize(tokens)
        let result = try await wire.clock.running { await client.signOut(within: .seconds(5), and: keepers) }
        #expect(tokens.isSignedOut && !result.isComplete)
        #expect(result.leftovers.map(\.kind) == [SignOut.Kind("slow"), SignOut.Kind("broken")])
        #expect((result.leftovers.first?.error as? NetworkError)?.code == .deadlineExceeded)
        #expect(result.leftovers.last?.error is Keeper.Full)
        #expect("\(result)" == "signed out; left: slow, broken")
        #expect(keepers[0].asked.values == [Partition("ann")] && keepers[1].asked.values == [])
        // It continues in parallel.
        gate.open()
        await until { keepers[1].asked.values == [Partition("ann")] }
    }

    @Test("keeps what is to be kept, but never the tokens; without a signed-in user no keeper is asked")
    func keeping() async {
        let keeper = Keeper("letters")
        let tokens = Self.tokens()
        let client = Wire(statuses: [200]).client()
        #expect(await client.signOut(and: [keeper]).isComplete)
        let result = await client.authorize(tokens).signOut(keeping: [keeper.kind, .tokens], and: [keeper])
        #expect(result.isComplete && keeper.asked.values == [] && tokens.isSignedOut)
        await client.set(partition: Partition("ben")).signOut(and: [keeper])
        #expect(keeper.asked.values == [Partition("ben")])
    }

    @Test("waits for a running save")
    func saving() async {
        let (saved, gate) = (Recorder<String>(), Gate())
        let tokens = TokenRefresher.saving { token in
            await Task { try? await gate.pass() }.value
            saved.record(token.value)
        }
        let login = Task { await failure { try await tokens.login(AccessToken("c"), user: "ben") } }
        await gate.arrived(1)
        let client = Wire(statuses: [200]).client().authorize(tokens)
        let leaving = Task {
            let result = await client.signOut(within: .seconds(600))
            return (result.isComplete, saved.values)
        }
        await until { tokens.isSignedOut }
        gate.open()
        #expect(await leaving.value == (true, ["c"]))
        #expect(await login.value?.code == .userChanged)
    }

    @Test("ends the exchanges that the user's calls share, on the wire too, and no other user's")
    func shared() async throws {
        let (gate, cancelled) = (Gate(), Recorder<String>())
        let transport = ClosureTransport { request in
            try await cancelled.record(request.headers["Authorization"] ?? "nobody", ifFails: gate.pass)
            return .init(status: 200, headers: [:], body: .bytes(Data()), url: request.url)
        }
        let client = Client(transport: transport).coalesce()
        let (ann, ben) = (client.authorize(Self.tokens("ann")), client.authorize(Self.tokens("ben")))
        let calls = [ann, ann, ben].map { client in
            let chain = client.chain()
            return Task { await chain.failure }
        }
        await gate.arrived(2)
        await until { client.callsCoalesced == 3 }
        #expect(await ann.signOut(within: .seconds(600)).isComplete)
        #expect(await calls[0].value?.code == .userChanged)
        #expect(await calls[1].value?.code == .userChanged)
        #expect(cancelled.values == ["Bearer a"] && client.callsCoalesced == 1)
        gate.open()
        #expect(await calls[2].value == nil)
    }
}
