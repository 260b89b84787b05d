import KorePushService
import PushServersMock
import TestSupport

@Suite("Kore: retry, refresh, expiry", .timeLimit(.minutes(10)), .paced)
struct KoreRecoveryTests {
    private let world: KoreWorld

    init() throws { world = try KoreWorld() }

    @Test("401, one refresh, once more")
    func refresh() async throws {
        world.kore.renewToken(of: "u-1", "fresh")
        let push = try world.push { current in
            #expect(current?.value == "good")
            return AccessToken("fresh")
        }
        try await push.subscribe(.first)
        #expect(world.kore.exchanges.map(\.authorization) == ["Bearer good", "Bearer fresh"])
        #expect(world.kore.exchanges.map(\.status) == [401, 200])
        try await push.unsubscribe(.first)
        #expect(world.kore.exchanges.map(\.authorization).last == "Bearer fresh")
        #expect(world.kore.exchanges.count == 3)
    }

    @Test("401 twice ends the call after one refresh")
    func refusedTwice() async throws {
        let push = try world.push(token: "bad", retry: .quick) { _ in
            AccessToken("worse")
        }
        let error = await koreFailure { try await push.subscribe(.first) }
        #expect(error?.code == .unauthorized)
        #expect(error?.serverCode == "INVALID_TOKEN")
        #expect(world.kore.exchanges.map(\.authorization) == ["Bearer bad", "Bearer worse"])
    }

    @Test("a refresh that fails, or returns nothing, has its own error", arguments: [nil, "", " "] as [String?])
    func failedRefresh(_ renewed: String?) async throws {
        struct LoggedOut: Error {}
        let push = try world.push(token: "bad", retry: .quick) { _ in
            guard let renewed else { throw LoggedOut() }
            return AccessToken(renewed)
        }
        let error = await koreFailure { try await push.subscribe(.first) }
        #expect(error?.code == .tokenRefreshFailed)
        #expect(world.kore.exchanges.count == 1)
        #expect((error?.network?.cause is LoggedOut) == (renewed == nil))
    }

    @Test("a token that has expired is renewed before anything is sent")
    func expiry() async throws {
        world.kore.renewToken(of: "u-1", "fresh")
        let push = try world.push(expires: Date(timeIntervalSince1970: 0)) { _ in AccessToken("fresh") }
        try await push.subscribe(.first)
        #expect(world.kore.exchanges.map(\.authorization) == ["Bearer fresh"])
    }

    @Test("a token that has expired and cannot be renewed is not sent")
    func expiredForGood() async throws {
        let push = try world.push(expires: Date(timeIntervalSince1970: 0))
        #expect(await koreFailure { try await push.subscribe(.first) }?.code == .tokenExpired)
        #expect(world.server.requests.isEmpty)
        #expect(try await push.state().token == .first)
    }

    @Test("services that share a refresher share its refresh")
    func sharedRefresher() async throws {
        world.kore.renewToken(of: "u-1", "fresh")
        let tokens = TokenRefresher(token: AccessToken("good"), origins: .any) { _ in AccessToken("fresh") }
        let session = try KoreSession(userID: "u-1", tokens: tokens)
        let push = try KorePush(
            session: session,
            configuration: KoreConfiguration(server: world.server.url),
            store: world.store,
            client: world.client
        )
        try await push.subscribe(.first)
        #expect(tokens.token?.value == "fresh")
        tokens.set(AccessToken("good"))
        try await push.unsubscribe(.first)
        let sent = ["Bearer good", "Bearer fresh", "Bearer good", "Bearer fresh"]
        #expect(world.kore.exchanges.map(\.authorization) == sent)
    }

    @Test(
        "transient failures are repeated in both directions, with the same content and key",
        arguments: [.status(503), .status(500), .status(502), .reset, .lostResponse] as [KorePushServer.Fault]
    )
    func retry(_ fault: KorePushServer.Fault) async throws {
        let push = try world.push(requestFormat: .postOverride, retry: .quick)
        world.kore.fail(fault)
        try await push.subscribe(.first)
        world.kore.fail(fault)
        try await push.unsubscribe(.first)
        let requests = world.server.requests
        #expect(requests.count == 4)
        #expect(requests[0].text == requests[1].text && requests[2].text == requests[3].text)
        let keys = requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] == keys[1] && keys[2] == keys[3] && keys[1] != keys[2])
        #expect(world.kore.devices(of: "u-1").isEmpty)
    }

    @Test("the policy's limit ends the repetitions, and no policy means none")
    func limit() async throws {
        world.kore.fail(.status(503), .status(503), .status(503), .status(503))
        let error = await koreFailure { try await world.push(retry: .quick).subscribe(.first) }
        #expect(error?.code == .serverUnavailable)
        #expect(error?.network?.history.count == 2)
        #expect(world.server.requests.count == 3)
        #expect(await koreFailure { try await world.push(retry: nil).subscribe(.first) }?.code == .serverUnavailable)
        #expect(world.server.requests.count == 4)
    }

    @Test("a refusal is not repeated", arguments: [400, 403, 404, 409, 422])
    func finality(_ status: Int) async throws {
        world.kore.fail(.status(status))
        _ = await koreFailure { try await world.push(retry: .quick).subscribe(.first) }
        #expect(world.server.requests.count == 1)
    }

    @Test("Retry-After is waited for")
    func retryAfter() async throws {
        let clock = ManualClock()
        let client = Client(clock: CallClock(clock))
        world.kore.fail(.retryAfter(429, seconds: 7))
        let push = try world.push(retry: .quick, client: client)
        let call = Task { try await push.subscribe(.first) }
        _ = try await world.server.waitForRequests(1)
        // Whoever watches the call's deadline may sleep before the retry does.
        while clock.sleepers.first.map({ $0 > clock.now.advanced(by: .seconds(8)) }) ?? true { await Task.yield() }
        #expect(world.server.requests.count == 1)
        clock.advance(by: .seconds(8))
        _ = try await call.value
        #expect(world.server.requests.count == 2)
    }

    @Test("a cancelled call ends on the wire, and stays a change")
    func cancellation() async throws {
        world.kore.fail(.stall)
        let push = try world.push()
        let call = Task { try await push.subscribe(.first) }
        let request = try await world.server.request(at: 0)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        try await world.server.waitForDisconnect(of: request.connection)
        #expect(try await push.state().isComplete == false)
        try await push.flush()
        #expect(world.kore.devices(of: "u-1") == ["a1b2c3d4"])
    }
}
