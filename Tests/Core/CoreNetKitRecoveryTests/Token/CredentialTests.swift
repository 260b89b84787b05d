import TestSupport

@Suite("A credential is kept whole, and a login is one step", .timeLimit(.minutes(10)), .paced)
struct CredentialTests {
    /// What a server returns at login, of which only a part is sent.
    struct Login: TokenCredential, Hashable {
        var access: String
        var refresh: String
        var accessToken: AccessToken { AccessToken(access) }
    }

    private static func chain(_ wire: Wire, _ refresher: TokenRefresher) -> Chain<Void, Void> {
        wire.chain { $0.authorize(refresher) }
    }

    @Test("refresh and save get the whole credential")
    func whole() async throws {
        let (used, saved) = (Recorder<String>(), Recorder<Login>())
        let refresher = TokenRefresher(
            token: Login(access: "a0", refresh: "r0"),
            origins: [host],
            user: "ann",
            save: { saved.record($0) },
            refresh: { current in
                used.record(current?.refresh ?? "nothing")
                return Login(access: "a1", refresh: "r1")
            }
        )
        let session = refresher.session
        try await Self.chain(Wire(taking: "a1"), refresher).process()
        refresher.invalidate()
        try await Self.chain(Wire(taking: "a1"), refresher).process()
        #expect(used.values == ["r0", "r1"])
        #expect(saved.values == [Login(access: "a1", refresh: "r1"), Login(access: "a1", refresh: "r1")])
        #expect(refresher.token == AccessToken("a1") && refresher.session == session)
    }

    @Test("a login is saved before it is used, and not used if it could not be saved")
    func login() async throws {
        struct Full: Error {}
        let (saved, isFull) = (Recorder<Login>(), Locked(true))
        let refresher = TokenRefresher(
            token: Login(access: "a0", refresh: "r0"),
            origins: [host],
            user: "ann",
            save: { login in
                if isFull.withLock({ $0 }) { throw Full() }
                saved.record(login)
            },
            refresh: { current in current ?? Login(access: "none", refresh: "none") }
        )
        let ben = Login(access: "b0", refresh: "s0")
        await #expect(throws: Full.self) { try await refresher.login(ben, user: "ben") }
        #expect(refresher.token?.value == "a0" && refresher.partition == Partition("ann"))
        isFull.withLock { $0 = false }
        try await refresher.login(ben, user: "ben")
        #expect(saved.values == [ben])
        #expect(refresher.token?.value == "b0" && refresher.partition == Partition("ben"))
    }

    @Test("a logout during the save of a login wins, and is idle only when the save has ended")
    func logoutWhileSaving() async throws {
        let (saved, holding) = (Recorder<String>(), Gate())
        let refresher = TokenRefresher.saving { token in
            try await holding.pass()
            saved.record(token.value)
        }
        let login = Task { await failure { try await refresher.login(AccessToken("b0"), user: "ben") } }
        await holding.arrived(1)
        refresher.set(nil)
        let idle = Task {
            await refresher.idle()
            return saved.values
        }
        holding.open()
        #expect(await idle.value == ["b0"])
        #expect(await login.value?.code == .userChanged)
        #expect(refresher.isSignedOut && refresher.token == nil)
    }

    @Test("what is saved last is used: a login waits for the save of a refresh, and ends the refresh")
    func turns() async throws {
        let (saved, holding) = (Recorder<String>(), Gate())
        let refresher = TokenRefresher.saving(user: "ann") { token in
            try? await holding.pass()
            saved.record(token.value)
        }
        let call = Task { await failure { try await Self.chain(Wire(taking: "a1"), refresher).process() } }
        await holding.arrived(1)
        let login = Task { try await refresher.login(AccessToken("b0"), user: "ben") }
        holding.open()
        try await login.value
        await refresher.idle()
        _ = await call.value
        #expect(saved.values == ["a1", "b0"])
        #expect(refresher.token?.value == "b0" && refresher.partition == Partition("ben"))
    }

    @Test("a credential renewed elsewhere continues, for its own session and no other")
    func renewed() async throws {
        let refresher = TokenRefresher(token: AccessToken("a0"), origins: [host]) { _ in AccessToken("a9") }
        let session = refresher.session
        let isTaken = refresher.adopt(AccessToken("a1"), in: session)
        #expect(isTaken && refresher.token?.value == "a1" && refresher.session == session)
        refresher.set(AccessToken("b0"), user: "ben")
        let isLateTaken = refresher.adopt(AccessToken("a2"), in: session)
        #expect(!isLateTaken && refresher.token?.value == "b0")
        refresher.set(nil)
        #expect(!refresher.adopt(AccessToken("b1")) && refresher.isSignedOut)
    }

    @Test("a session ends with a logout, another name and a login without one; a named user has one partition")
    func sessions() {
        let refresher = TokenRefresher(token: AccessToken("a"), origins: [host], user: "ann") { _ in AccessToken("r") }
        var sessions = [refresher.session]
        refresher.set(AccessToken("a2"), user: "ann")
        refresher.invalidate()
        #expect(refresher.session == sessions[0])
        for (token, user) in [(nil, nil), ("a", "ann"), ("b", "ben"), ("x", nil), ("y", nil), ("a", "ann")] {
            refresher.set(token.map { AccessToken($0) }, user: user)
            #expect(!sessions.contains(refresher.session))
            sessions.append(refresher.session)
        }
        #expect(Set(sessions.map(\.partition)).count == 5 && refresher.partition == sessions[0].partition)
        refresher.end(sessions[0])
        #expect(!refresher.isSignedOut)
        refresher.end(refresher.session)
        #expect(refresher.isSignedOut)
    }

    @Test("a credential of another type than the refresher's is not saved, and not reported")
    func otherType() async throws {
        let used = Recorder<String>()
        let refresher = TokenRefresher(
            origins: [host],
            save: { (_: Login) in },
            refresh: { (current: Login?) in
                used.record(current?.refresh ?? "nothing")
                return Login(access: "a1", refresh: "r1")
            }
        )
        let error = await failure { try await refresher.login(AccessToken("plain")) }
        #expect(error?.code == .tokenRefreshFailed && refresher.token == nil)
        refresher.set(AccessToken("plain"))
        try await Self.chain(Wire(taking: "a1"), refresher).process()
        #expect(used.values == ["nothing"])
    }
}
