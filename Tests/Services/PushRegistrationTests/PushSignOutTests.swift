import PushRegistration
import TestSupport

@Suite("Signing out of an identity", .timeLimit(.minutes(10)), .paced)
struct PushSignOutTests {
    private let tokens = TokenRefresher(token: AccessToken("a"), origins: .any, user: "alice") { _ in AccessToken("b") }
    private let member = Member("Kore")

    private var client: Client { Client(transport: FailingTransport(.cannotConnect)).authorize(tokens) }

    /// The signed-in user, and the pending sign-outs.
    private func state(_ identity: PushIdentity) throws -> [String: [String]] {
        let state = try identity.state()
        return [state.user ?? "": state.pendingSignOuts]
    }

    private func signedIn() async throws -> PushIdentity {
        let identity = PushIdentity(store: InMemoryStore(), members: [member])
        try await identity.login("alice").value
        return identity
    }

    @Test("unregisters the user, and waits until it is done")
    func waits() async throws {
        let identity = try await signedIn()
        member.hold()
        let result = Task { [client] in await client.signOut(within: .seconds(300), and: [identity]) }
        await member.held()
        #expect(try state(identity) == ["": ["alice"]])
        member.release()
        #expect(await result.value.isComplete)
        #expect(try state(identity) == ["": []])
        #expect(member.registered.isEmpty && tokens.isSignedOut)
    }

    @Test("says that the device is still registered if that could not be undone, and undoes it later")
    func leftover() async throws {
        let identity = try await signedIn()
        member.set(isLocked: true)
        let result = await client.signOut(within: .seconds(300), and: [identity])
        #expect(result.leftovers.map(\.kind) == [.registrations])
        #expect(result.leftovers.first?.error is Member.Locked)
        #expect("\(result)" == "signed out; left: registrations")
        #expect(try state(identity) == ["": ["alice"]])
        member.set(isLocked: false)
        try await identity.flush().value
        #expect(member.registered.isEmpty)
    }

    @Test("keeps the registration if requested")
    func keeping() async throws {
        let identity = try await signedIn()
        #expect(await client.signOut(within: .seconds(300), keeping: [.registrations], and: [identity]).isComplete)
        #expect(try identity.state().user == "alice")
        #expect(member.registered == ["alice"])
    }

    @Test("leaves a user alone who signed in meanwhile, and waits for the one who left", arguments: [true, false])
    func somebodyElse(isSent: Bool) async throws {
        let identity = try await signedIn()
        if !isSent { member.set(isLocked: true) }
        _ = try? await identity.login("bob").value
        member.set(isLocked: false)
        #expect(await client.signOut(within: .seconds(300), and: [identity]).isComplete)
        #expect(try state(identity) == ["bob": []])
        #expect(member.registered.isDisjoint(with: ["alice"]))
        try await identity.flush().value
        #expect(member.registered == ["bob"])
    }

    @Test("finds the user in a partition that also names a tenant, and one known only to the identity")
    func partitions() async throws {
        let identity = try await signedIn()
        let tenant = client.set(partition: Partition("tenant"))
        #expect(await tenant.signOut(within: .seconds(300), and: [identity]).isComplete)
        #expect(member.registered.isEmpty)
        try await identity.login("carol").value
        let known = Client(transport: FailingTransport(.cannotConnect)).set(partition: identity)
        #expect(await known.signOut(within: .seconds(300), and: [identity]).isComplete)
        #expect(try identity.state().user == nil)
        #expect(member.registered.isEmpty)
    }
}
