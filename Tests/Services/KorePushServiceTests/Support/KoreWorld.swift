import KorePushService
import PushDoubles
import PushServersMock
import TestSupport

/// A server, a device and its store.
struct KoreWorld: Sendable {
    let kore = KorePushServer(users: ["u-1": "good", "a/b ü": "slash"])
    let server: LoopbackServer
    let sink = RecordingSink()
    let store = InMemoryStore()
    let client: Client

    init() throws {
        server = try LoopbackServer()
        kore.serve(on: server)
        client = Client().log(to: sink, level: .debug)
    }

    static func withPush() throws -> (KoreWorld, KorePush) {
        let world = try KoreWorld()
        return (world, try world.push())
    }

    func push(
        user: String = "u-1",
        token: String = "good",
        type: String? = nil,
        expires: Date? = nil,
        paths: KoreConfiguration.Paths = .document,
        requestFormat: KoreConfiguration.RequestFormat = .json,
        retry: RetryPolicy? = nil,
        deadline: Duration = .seconds(60),
        server: URL? = nil,
        store: (any KeyValueStore)? = nil,
        client: Client? = nil,
        refresh: TokenRefresher.Refresh? = nil
    ) throws -> KorePush {
        try KorePush(
            session: KoreSession(userID: user, accessToken: token, tokenType: type, expires: expires, refresh: refresh),
            configuration: KoreConfiguration(
                server: server ?? self.server.url,
                paths: paths,
                requestFormat: requestFormat,
                retry: retry,
                deadline: deadline
            ),
            store: store ?? self.store,
            client: client ?? self.client
        )
    }
}

func korePush(
    over transport: any Transport,
    _ store: any KeyValueStore,
    user: String = "u-1",
    token: String = "good"
) throws -> KorePush {
    try KorePush(
        session: KoreSession(userID: user, accessToken: token),
        configuration: KoreConfiguration(server: try #require(URL(string: "https://bots.example")), retry: nil),
        store: store,
        client: Client(transport: transport)
    )
}

extension KorePushServer {
    /// A transport to it, without a socket.
    func transport(_ life: Life = Life()) -> MockTransport {
        MockTransport { mock in mock.on(nil, "/**") { request in life.exchange { self.reply(to: request) } } }
    }
}

extension RetryPolicy {
    /// Two repetitions, at once.
    static let quick = RetryPolicy(backoff: .exponential(base: .nanoseconds(1), cap: .nanoseconds(1)))
}

extension KoreDeviceToken {
    static let first = token("a1b2c3d4")
    static let second = token("0102030405")

    static func token(_ hex: String) -> KoreDeviceToken {
        guard let token = try? KoreDeviceToken(hex: hex) else { preconditionFailure("\(hex) is no token") }
        return token
    }
}

func koreFailure(of step: () async throws -> Void) async -> KorePushError? {
    await failure(KorePushError.self, of: step)
}
