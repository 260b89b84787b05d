import TestSupport

/// A server that responds with the name of the user whose client it is made for: whatever else is in a request, only
/// what a test lets a call say keeps users apart.
final class UserServer: Transport {
    private let user: String
    private let identity: String?

    /// The field of requests that are given a cookie.
    static let cookies = "X-Wants-Cookie"

    private let sent: Recorder<String>?

    init(_ user: String, identity: String? = "", sent: Recorder<String>? = nil) {
        (self.user, self.identity, self.sent) = (user, identity, sent)
    }

    var capabilities: TransportCapabilities { [] }

    func clientIdentity(for url: URL) -> String? { identity }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        for _ in 0..<4 { await Task.yield() }
        sent?.record(user)
        var headers: Headers = ["Cache-Control": "max-age=3600"]
        var text = user
        if request.headers.contains(Self.cookies) {
            headers["Set-Cookie"] = "sid=\(user)"
            if let cookie = request.headers["Cookie"], cookie != "sid=\(user)" { text += " with \(cookie)" }
        }
        return TransportResponse(status: 200, headers: headers, body: .bytes(Data(text.utf8)), url: request.url)
    }
}

/// The same as a value that says nothing of itself.
private struct ValueServer: Transport {
    let server: UserServer
    var capabilities: TransportCapabilities { [] }
    func send(_ request: TransportRequest) async throws -> TransportResponse { try await server.send(request) }
}

/// A way in which a call says who makes it.
struct CallWay: Sendable, CustomTestStringConvertible {
    typealias Builder = UrlChainsBuilder<String>

    enum Kind: Sendable { case partition, object, authorization, provider }

    let testDescription: String
    /// Whether it says so by what the jar of cookies goes by.
    var isLogin = false
    /// Whether it is a transport of the user's own.
    var isTransport = false
    /// What it goes by, if another way may say more than it.
    var kinds: Set<Kind> = []
    let apply: @Sendable (Builder, _ user: String) -> Builder

    static let origin = "http://shop.test"

    /// Whether a way that says the same for all users takes this one's place: a named partition is that of the user, whatever
    /// objects add credentials, and a provider replaces fields of its names.
    func isReplaced(by other: CallWay) -> Bool {
        kinds.contains(.object) && other.kinds.contains(.partition)
            || kinds.contains(.authorization) && other.kinds.contains(.provider)
    }

    private static func field(
        _ name: String,
        _ kinds: Set<Kind> = [],
        _ value: @escaping @Sendable (String) -> String
    ) -> CallWay {
        CallWay(testDescription: "\(name): \(value("…"))", kinds: kinds) { $0.add(headers: [name: value($1)]) }
    }

    private static func route(_ what: String, _ url: @escaping @Sendable (String) -> String) -> CallWay {
        CallWay(testDescription: what) { $0.route(.get, url($1)) }
    }

    /// A text that only this user has, as random as a key.
    private static func random(_ user: String, _ count: Int = 43) -> String {
        let text = Data(SHA256.digest(Array("user \(user)".utf8))).base64EncodedString()
        return String((text + text).filter { $0 != "/" && $0 != "+" && $0 != "=" }.prefix(count))
    }

    private static func jwt(_ user: String) -> String { "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi\(random(user)).c2lnbmF0" }

    private static let named: [CallWay] =
        [
            "X-Api-Key", "X-Auth-Token", "X-Session-Id", "X-Vault-Token", "Private-Token", "X-Amz-Security-Token",
            "Ocp-Apim-Subscription-Key", "X-Signature", "Proxy-Authorization", "X-User-Id", "X-Tenant-Id",
            "X-Forwarded-User", "X-Client-Cert", "X-Account-Id",
        ]
        .map { field($0) { $0 } } + [
            field("Authorization", [.authorization]) { "Bearer \($0)" },
            field("authorization", [.authorization]) { "Basic \(Data("\($0):pw".utf8).base64EncodedString())" },
            field("Cookie") { "sid=\($0)" },
        ]

    private static let unnamed: [CallWay] = [
        field("X-Amzn-Oidc-Data") { jwt($0) }, field("X-Scope-OrgID") { jwt($0) },
        field("X-Hasura-Role") { "v1 \(jwt($0))" }, field("X-JFrog-Art-Api") { "AKC\(random($0, 64))" },
        field("X-On-Behalf-Of") { "Bearer opaque-\($0)" }, field("X-Acme") { random($0) },
        field("X-Acme-Caller") { "sk_live_51\(random($0, 24))" }, field("X-Acme-Caller") { "ghp_\(random($0, 36))" },
        field("X-Acme-Caller") { "github_pat_11\(random($0, 40))" },
        field("X-Acme-Caller") { "xoxb-1234-\(random($0, 24))" },
        field("X-Acme-Caller") { "AKIA\(random($0, 40).uppercased().prefix(16))" },
        field("X-Acme-Caller") { "glpat-\(random($0, 20))" }, field("X-Acme-Caller") { "AIza1\(random($0, 34))" },
        field("X-Acme-Caller") { "npm_1\(random($0, 35))" },
        field("Sec-WebSocket-Protocol") { "base64url.bearer.authorization.k8s.io.\(random($0))" },
    ]

    private static let routed: [CallWay] = [
        route("user info") { "http://\($0):pw@shop.test/me" },
        route("a user without a password") { "http://\($0)@shop.test/me" },
        route("the path") { "\(origin)/\($0)" }, route("a token in the path") { "\(origin)/\(jwt($0))/me" },
        route("a query item") { "\(origin)/me?token=\($0)" },
    ]

    private static let configured: [CallWay] = [
        CallWay(testDescription: "a partition", isLogin: true, kinds: [.partition]) {
            $0.set(partition: Partition($1))
        },
        CallWay(testDescription: "a refresher with a user", isLogin: true, kinds: [.partition]) {
            $0.authorize(tokens($1, user: $1))
        },
        CallWay(testDescription: "a refresher without a user", isLogin: true, kinds: [.object]) {
            $0.authorize(tokens($1, user: nil))
        },
        CallWay(testDescription: "a field beside a refresher of another origin", kinds: [.authorization, .partition]) {
            $0.authorize(tokens("team", user: "team", of: "http://other.test"))
                .add(headers: ["Authorization": "Bearer \($1)"])
        },
        CallWay(testDescription: "a field beside a partition", kinds: [.partition]) {
            $0.set(partition: Partition("team")).add(headers: ["X-Api-Key": $1])
        },
        CallWay(testDescription: "a provider of fields", kinds: [.provider]) {
            $0.add(provider: ["Authorization": "Bearer \($1)"])
        },
        CallWay(testDescription: "a node that says what it goes by", kinds: [.object]) { builder, user in
            builder.insert(at: .exchange, scope: .object(ObjectIdentifier(UserName.of(user)))) { naming(user, $0) }
        },
        CallWay(testDescription: "a node that says nothing") { builder, user in
            builder.insert(at: .exchange) { naming(user, $0) }
        },
        CallWay(testDescription: "a client certificate", isLogin: true, isTransport: true) {
            $0.set(transport: UserServer($1, identity: Hex.encode(SHA256.digest(Array($1.utf8)))))
        },
        CallWay(testDescription: "an object that says nothing", isTransport: true) {
            $0.set(transport: UserServer($1, identity: nil))
        },
        CallWay(testDescription: "a value that says nothing", isTransport: true) {
            $0.set(transport: ValueServer(server: UserServer($1)))
        },
    ]

    static let all = named + unnamed + routed + configured

    private static func tokens(_ token: String, user: String?, of origin: String = origin) -> TokenRefresher {
        TokenRefresher(token: AccessToken(token), origins: [origin], user: user) { _ in AccessToken(token) }
    }

    private static func naming(_ user: String, _ next: Exchange) -> AnyNode<TransportRequest, TransportResponse> {
        AnyNode("Naming", before: next) { request, _ in request.headers["X-User"] = user }
    }
}

private final class UserName: Sendable {
    private static let all = Locked<[String: UserName]>([:])

    static func of(_ user: String) -> UserName {
        all.withLock { all in
            if let known = all[user] { return known }
            let made = UserName()
            all[user] = made
            return made
        }
    }
}
