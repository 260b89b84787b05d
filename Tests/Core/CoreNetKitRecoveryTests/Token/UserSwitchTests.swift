import TestSupport

@Suite("A call is finished by the user who began it, or not at all", .timeLimit(.minutes(10)), .paced)
struct UserSwitchTests {
    @Test("a call of an ended login gets no token of the next one")
    func nothingAsked() async throws {
        let asked = Recorder<AccessToken?>()
        let tokens = TokenRefresher(token: AccessToken("a"), origins: .any, user: "ann") { current in
            asked.record(current)
            return AccessToken("c")
        }
        let wire = Wire { _, request in
            tokens.set(AccessToken("b", expires: .distantPast), user: "bob")
            return .init(status: 503, url: request.url)
        }
        let chain = wire.chain { $0.retry(RetryPolicy(limit: 1)).authorize(tokens) }
        let error = try await wire.clock.running { await chain.failure }
        #expect(error?.code == .userChanged)
        #expect(asked.values.isEmpty && wire.count == 1)
    }

    private static func refresher(user: String?) -> TokenRefresher {
        TokenRefresher(token: AccessToken("a"), origins: [host], user: user) { _ in AccessToken("renewed") }
    }

    private static func chain(_ wire: Wire, _ refresher: TokenRefresher) -> Chain<Void, Void> {
        wire.chain { $0.retry(.standard).authorize(refresher) }
    }

    /// The first attempt fails; meanwhile another user signs in.
    private static func tokens(
        from first: String?,
        to second: String?,
        token: String? = "b",
        status: Int = 503,
        leaving: Bool = false
    ) async throws -> (sent: [String?], error: NetworkError?) {
        let refresher = refresher(user: first)
        let wire = Wire { index, request in
            if index == 0, leaving { refresher.set(nil) }
            if index == 0 { refresher.set(token.map { AccessToken($0) }, user: second) }
            return .init(status: index == 0 ? status : 200, url: request.url)
        }
        let error = try await wire.clock.running { await chain(wire, refresher).failure }
        return (wire.authorizations, error)
    }

    @Test(
        "the same user continues with the new token; another name, none and a logout end it, even while it waits for a token",
        arguments: [
            ("anna", "anna", "b"), ("anna", "ben", "b"), (nil, nil, "b"), (nil, "ben", "b"), ("anna", nil, "b"),
            ("anna", nil, nil),
        ] as [(String?, String?, String?)],
        [503, 401]
    )
    func next(login: (from: String?, to: String?, token: String?), status: Int) async throws {
        let (sent, error) = try await Self.tokens(from: login.from, to: login.to, token: login.token, status: status)
        let isSame = login.to != nil && login.from == login.to
        #expect(sent == (isSame ? ["Bearer a", "Bearer b"] : ["Bearer a"]))
        #expect(error?.code == (isSame ? nil : .userChanged) && error?.isRetryable != true)
    }

    @Test("a logout ends it, whoever signs in after it", arguments: [nil, "anna"], [nil, "anna", "ben"])
    func logout(first: String?, second: String?) async throws {
        let (sent, error) = try await Self.tokens(from: first, to: second, leaving: true)
        #expect(sent == ["Bearer a"])
        #expect(error?.code == .userChanged)
    }

    @Test("a login as part of a call does not end that call")
    func loginInside() async throws {
        let refresher = Self.refresher(user: nil)
        let wire = Wire(statuses: [200])
        let login = Self.chain(wire, refresher).map { refresher.set(AccessToken("b"), user: "ben") }
        try await login.process()
        #expect(refresher.token?.value == "b")
    }

    @Test("a call that waited for a refresh does not continue as the user who signs in meanwhile")
    func waiting() async {
        let refresher = Locked<TokenRefresher?>(nil)
        let made = TokenRefresher(origins: [host], user: "anna") { _ in
            refresher.withLock { $0 }?.set(AccessToken("b"), user: "ben")
            return AccessToken("late")
        }
        refresher.withLock { $0 = made }
        let wire = Wire(statuses: [200])
        let error = await Self.chain(wire, made).failure
        #expect(error?.code == .userChanged)
        #expect(wire.count == 0)
    }

    @Test("a tenant around the user stays, and a change of the tenant counts")
    func tenant() async throws {
        let tenant = Locked("one")
        let refresher = Self.refresher(user: "anna")
        for isMoving in [false, true] {
            let wire = Wire { index, request in
                if index == 0, isMoving { tenant.withLock { $0 = "two" } }
                return .init(status: index == 0 ? 503 : 200, url: request.url)
            }
            let partition = ClosurePartition { Partition(tenant.value) }
            let chain = wire.chain { $0.retry(.standard).authorize(refresher).set(partition: partition) }
            let error = try await wire.clock.running { await chain.failure }
            #expect(error?.code == (isMoving ? .userChanged : nil))
            #expect(wire.count == (isMoving ? 1 : 2))
        }
    }
}
