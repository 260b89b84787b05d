import KorePushService
import PushServersMock
import TestSupport

@Suite("Kore: bad input", .timeLimit(.minutes(10)), .paced)
struct KoreBadInputTests {
    private let world: KoreWorld

    init() throws { world = try KoreWorld() }

    @Test(
        "a user id that is blank or would name another resource is refused",
        arguments: [
            ("", .missingUserID), (" ", .missingUserID), ("\t\n", .missingUserID), ("\u{A0}", .missingUserID),
            (".", .invalidUserID), ("..", .invalidUserID), ("u\r\n1", .invalidUserID), ("u\0", .invalidUserID),
        ] as [(String, KorePushError.Code)]
    )
    func userID(_ id: String, code: KorePushError.Code) {
        let error = #expect(throws: KorePushError.self) { try KoreSession(userID: id, accessToken: "t") }
        #expect(error?.code == code)
    }

    @Test("a user id is one escaped segment", arguments: KoreConfiguration.Paths.all)
    func segment(_ paths: KoreConfiguration.Paths) async throws {
        try await world.push(user: "a/b ü", token: "slash", paths: paths).subscribe(.first)
        let path = try #require(world.server.requests.first?.path)
        #expect(path.hasPrefix("/api/users/a%2Fb%20%C3%BC/"))
        #expect(world.kore.devices(of: "a/b ü") == ["a1b2c3d4"])
    }

    @Test("a blank access token is refused before anything is sent", arguments: [nil, "", "  "] as [String?])
    func blankToken(_ token: String?) {
        let error = #expect(throws: KorePushError.self) { try KoreSession(userID: "u", accessToken: token) }
        #expect(error?.code == .missingAuthorization)
    }

    @Test(
        "a token type is sent as it was given; without one it is Bearer",
        arguments: [(nil, "Bearer"), ("", "Bearer"), (" ", "Bearer"), ("Bearer", "Bearer"), ("bearer", "bearer")]
            as [(String?, String)]
    )
    func tokenType(_ type: String?, sent: String) async throws {
        try await world.push(type: type).subscribe(.first)
        #expect(world.server.requests.map { $0.headers["Authorization"] } == ["\(sent) good"])
    }

    @Test("an access token with a line break cannot become a header")
    func lineBreak() async throws {
        let error = await koreFailure { try await world.push(token: "good\r\nX-Admin: 1").subscribe(.first) }
        #expect(error?.code == .networkFailed)
        #expect(error.map { "\($0)".contains("X-Admin") } == false)
        #expect(world.server.requests.isEmpty)
    }

    @Test(
        "the server is https, or this machine",
        arguments: [
            ("https://bots.example", nil), ("HTTPS://bots.example/base", nil), ("http://localhost:8080", nil),
            ("http://127.0.0.1:1", nil), ("http://127.9.9.9", nil), ("http://[::1]:8080", nil),
            ("http://bots.example", .insecureServer), ("http://127.0.0.1.evil.example", .insecureServer),
            ("http://127.evil.example", .insecureServer), ("http://localhost.evil.example", .insecureServer),
            ("http://localhost@evil.example", .insecureServer), ("http://10.0.0.1", .insecureServer),
            ("ftp://bots.example", .invalidServer), ("bots.example", .invalidServer), ("https:///api", .invalidServer),
        ] as [(String, KorePushError.Code?)]
    )
    func server(_ text: String, _ code: KorePushError.Code?) async throws {
        let (url, session) = (try #require(URL(string: text)), try KoreSession(userID: "u", accessToken: "t"))
        let error = await koreFailure {
            _ = try KorePush(session: session, configuration: KoreConfiguration(server: url), store: InMemoryStore())
        }
        #expect(error?.code == code)
    }

    @Test("a redirect is not followed: it would take the device token elsewhere")
    func redirect() async throws {
        let other = try KoreWorld()
        world.server.on(
            .post,
            "/api/users/u-1/subscribe",
            .status(307, headers: ["Location": other.server.url("/api/users/u-1/subscribe").absoluteString])
        )
        let error = await koreFailure { try await world.push().subscribe(.first) }
        #expect(error?.code == .unexpectedStatus)
        #expect(error?.status == 307)
        #expect(other.server.requests.isEmpty)
    }

    @Test("a session is described without its token")
    func description() throws {
        let session = try KoreSession(userID: "u-1", accessToken: "canary")
        #expect("\(session)" == "KoreSession(userID: u-1)")
    }
}

extension KoreConfiguration.Paths {
    static let all: [Self] = [.document, .sdkNotifications]
}
