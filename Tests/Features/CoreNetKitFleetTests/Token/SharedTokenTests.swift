import CoreNetKitFleet
import TestSupport

@Suite("A login that several processes share", .timeLimit(.minutes(10)), .paced)
struct SharedTokenTests {
    private let server = AuthServer()
    private let store = LocalStore()

    @Test("is refreshed once for each expiry, whichever process comes first", arguments: [false, true])
    func once(isSealed: Bool) async throws {
        let sealing: any Sealing = isSealed ? SealingKeys(try .random(id: "k")) : PlainSealing.plain
        let pods = (0..<8).map { _ in Pod(server, in: store, sealing: sealing) }
        for round in 1...40 {
            server.expire()
            try await concurrently(pods.count) { try await pods[$0].call() }
            #expect(server.spends == round)
        }
        #expect(server.doubles == 0)
        for pod in pods { #expect(pod.access == server.valid) }
    }

    @Test("passes the refresh token on with the access token: no process uses an older one")
    func whole() async throws {
        let (one, two) = (Pod(server, in: store), Pod(server, in: store))
        for pod in [one, two, two, one, one, two] { try await server.expire(for: [pod]) }
        server.expectSpent(6)
    }

    @Test("is adopted by a process that starts later with its configured credential")
    func late() async throws {
        server.expire()
        try await Pod(server, in: store).call()
        let late = Pod(server, in: store, token: Login(0))
        try await late.call()
        let empty = Pod(server, in: store, token: nil)
        try await empty.call()
        #expect(server.spends == 1)
        #expect(late.access == server.valid)
        #expect(empty.access == server.valid)
    }

    @Test("differs for another user, another name and another origin")
    func apart() async throws {
        try await Pod(server, in: store, user: "ann").call()
        server.expire()
        try await Pod(server, in: store, user: "ann").call()
        server.expire()
        try await Pod(server, in: store, token: Login(7), user: "bob").call()
        #expect(server.spends == 2)
    }

    @Test("whose remaining life is too short for a process is renewed, even if the store has it")
    func expired() async throws {
        let date = Locked(Date(timeIntervalSince1970: 1_000_000_000))
        server.expires.withLock { $0 = date.withLock { $0 }.addingTimeInterval(100) }
        server.expire()
        let pods = (0..<2).map { _ in Pod(server, in: store, date: { date.withLock { $0 } }) }
        try await pods.call()
        #expect(server.spends == 1)
        date.withLock { $0.addTimeInterval(200) }
        server.expires.withLock { $0 = date.withLock { $0 }.addingTimeInterval(100) }
        try await pods.call()
        #expect(server.spends == 2)
        try await Pod(server, in: store, token: nil, date: { date.withLock { $0 } }).call()
        #expect(server.spends == 2)
    }

    @Test("is saved by each process before its calls use it")
    func saved() async throws {
        let saved = Recorder<String>()
        server.expire()
        for _ in 0..<3 { try await Pod(server, in: store, save: { saved.record($0.access) }).call() }
        #expect(saved.values == ["a1", "a1", "a1"])
    }

    @Test("ended in one process is ended in all, and no process brings it back")
    func logout() async throws {
        let pods = try await server.renewedPods(3, in: store)
        await pods[0].signOut()
        server.expire()
        for pod in pods.dropFirst() {
            #expect(await failure { try await pod.call() }?.code == .userChanged)
            #expect(pod.refresher.isSignedOut)
        }
        let late = Pod(server, in: store, token: Login(0))
        #expect(await failure { try await late.call() } != nil)
        #expect(server.spends == 1)
    }

    @Test("started in one process continues in the others")
    func login() async throws {
        let pods = try await server.renewedPods(3, in: store)
        try await pods[0].refresher.login(server.login(), user: "ann")
        try await pods.call()
        #expect(server.spends == 1)
        for pod in pods { #expect(pod.access == server.valid) }
    }

    @Test("started again after a logout is newer than the logout")
    func loginAfterLogout() async throws {
        let pods = server.pods(2, in: store)
        await pods[0].signOut()
        try await pods[0].refresher.login(server.login(), user: "ann")
        try await pods.call()
        pods[1].refresher.set(server.login(), user: "ann")
        await pods[1].refresher.idle()
        try await pods.call()
        #expect(server.spends == 0)
    }

    @Test("renewed elsewhere, by code that says so, is reported as well")
    func renewed() async throws {
        let pods = server.pods(2, in: store)
        #expect(pods[0].refresher.adopt(server.login()))
        await pods[0].refresher.idle()
        try await pods.call()
        #expect(server.spends == 0)
    }

    @Test("wins over a refresh that is running in another process")
    func loginOvertakes() async throws {
        let (stop, saved) = (Stop(), Recorder<String>())
        let one = Pod(
            server,
            in: store,
            onRefresh: { login, server in
                await stop.pass()
                return server.refreshed(login)
            },
            save: { saved.record($0.access) }
        )
        let two = Pod(server, in: store)
        server.expire()
        let call = Task { try await one.call() }
        await stop.isReached()
        let login = Login(500)
        try await two.refresher.login(login, user: "ann")
        stop.open()
        _ = await call.result
        #expect(saved.values.first == login.access)
        #expect(two.access == login.access)
    }

    @Test("needs a user: without one a login is refused, and its calls fail")
    func unnamed() async throws {
        let pod = Pod(server, in: store)
        #expect(await failure { try await pod.refresher.login(Login(1)) }?.code == .invalidChain)
        pod.refresher.set(server.login())
        #expect(await failure { try await pod.call() }?.code == .invalidChain)
        try await pod.refresher.login(server.login(), user: "ann")
        try await pod.call()
        let nobody = Pod(server, in: store, user: "")
        #expect(await failure { try await nobody.call() }?.code == .invalidChain)
    }

    @Test("with invalid settings fails each call before anything is sent")
    func settings() {
        func problem(
            named: String = "a",
            lease: Duration = .seconds(1),
            life: Duration = .seconds(60),
            timeout: Duration = .seconds(30)
        ) -> String? {
            let shared = SharedCredentials(
                LocalStore(),
                named: named,
                sealing: .plain,
                afterLostRefresh: .endSession,
                lease: lease,
                life: life
            )
            return TokenRefresher(shared: shared, origins: [host], user: "ann", timeout: timeout) { _ in
                AccessToken("a")
            }.problem
        }
        #expect(problem() == nil)
        #expect(problem(named: "")?.contains("name") == true)
        #expect(problem(lease: .zero)?.contains("lease") == true)
        #expect(problem(lease: .seconds(30))?.contains("timeout") == true)
        #expect(problem(life: .seconds(1))?.contains("life") == true)
        #expect(problem(lease: .forever, life: .seconds(Int64.max), timeout: .seconds(Int64.max)) != nil)
    }

    @Test("is stored sealed: neither token can be read, and another key does not open it")
    func sealed() async throws {
        let (old, new) = (try SealingKey.random(id: "old"), try SealingKey.random(id: "new"))
        let pod = Pod(server, in: store, sealing: SealingKeys(old))
        pod.store.on(.write, .after) { (_) throws(SharedStoreError) in
            guard let key = pod.store.lastWritten, let value = try await store.read(key) else { return }
            let text = String(decoding: value.bytes, as: UTF8.self)
            #expect(!text.contains("refresh") && !text.contains("access") && !text.contains("\"a1\""))
        }
        try await server.expire(for: [pod])
        let other = Pod(server, in: store, sealing: SealingKeys(new))
        let error = await failure { try await other.call() }
        #expect(error?.code == .tokenRefreshFailed)
        #expect(((error?.cause as? NetworkError)?.cause as? SealingError)?.code == .unknownKey)
        let both = Pod(server, in: store, sealing: SealingKeys(new, older: [old]))
        try await both.call()
        #expect(server.spends == 1)
    }

    @Test("sealed for one user cannot be put in another user's place")
    func moved() async throws {
        let sealing = SealingKeys(try .random(id: "a"))
        let (ann, bob) = (SharedKey(kind: "token", "ann"), SharedKey(kind: "token", "bob"))
        let record = CredentialRecord(.current, 7, credential: Data("secret".utf8))
        let bytes = try record.sealed(by: sealing, at: ann)
        #expect(try CredentialRecord(bytes, openedBy: sealing, at: ann) == record)
        #expect(throws: SealingError.self) { try CredentialRecord(bytes, openedBy: sealing, at: bob) }
        #expect(CredentialRecord.number(of: bytes) == 7)
        for other in [Data(), bytes.prefix(18), Data([2]) + bytes.dropFirst()] {
            #expect(CredentialRecord.number(of: other) == nil)
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: SealingError.self) { try CredentialRecord(changed, openedBy: sealing, at: ann) }
        }
        for count in 0..<bytes.count {
            #expect(throws: SealingError.self) { try CredentialRecord(bytes.prefix(count), openedBy: sealing, at: ann) }
        }
    }

    /// The time limit of the suite ends a wait for what is never released.
    private func expectReleased(_ store: @autoclosure () throws -> any SharedStore) async throws {
        weak var refresher: TokenRefresher?
        weak var watched: WatchedStore?
        do {
            let pod = Pod(server, in: try store())
            (refresher, watched) = (pod.refresher, pod.store)
            try await server.expire(for: [pod])
        }
        await until { refresher == nil && watched == nil }
    }

    @Test("leaves nothing behind: a refresher is released with its store, though it listens to changes")
    func local() async throws { try await expectReleased(LocalStore()) }

    #if os(Linux)
        @Test("leaves nothing behind of a server's connection, which the first refresh has made", .needsServer)
        func connection() async throws {
            let store = try RealServer()
            try await expectReleased(ValkeyStore(store.unix, timeout: .seconds(60)))
        }
    #endif
}
