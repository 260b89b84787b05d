import CoreNetKit
import CoreNetKitChain
import CoreNetKitCurl
import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

// The forms of build() and process() that are hard to infer, as plain statements, and what an outside module can make of
// public initialisers. The same file in all three clients.

nonisolated struct Plain: Codable, Sendable, Equatable {
    var name: String
}

struct Forms {
    let builder: UrlChainsBuilder<RegistrationRoute>
    let user: User

    /// In an async function each call waits.
    func awaited() async throws -> [Int] {
        try await builder.route(.get, .users).build().process()
        try await builder.route(.post, .auth).build().process(user)
        try await builder.route(.post, .auth).build().process([user, user])
        try await builder.route(.post, .auth).build().process(Optional(user))
        try await builder.route(.post, .auth).build().process([user.name: user])
        try await builder.route(.post, .auth).build().process(["k": 1])
        try await builder.route(.post, .auth).build().process(["k": 1, "flag": true, "list": [1, "a", nil]])
        try await builder.route(.post, .auth).build().process(Json(["k": 1, "flag": true] as [String: Any]))
        try await builder.route(.post, .auth).build().process(Plain(name: "a"))
        try await builder.route(.post, .auth).build().process("text")
        try await builder.route(.post, .auth).build().process(Data("bytes".utf8))
        try await builder.route(.post, .auth).build().process(MultipartModel([.field("title", "a")]))

        let list: [User] = try await builder.route(.get, .users).build().process()
        let maybe: User? = try await builder.route(.post, .auth).build().process(user)
        let plain: [Plain] = try await builder.route(.get, .users).build().process()
        let around: Response<[User]> = try await builder.route(.get, .users).build().process()
        let json: Json = try await builder.route(.post, .auth).build().process(["a": ["b": [1, 2]]])
        let uploaded: User = try await builder.route(.post, .auth).build().process(MultipartModel([.field("a", "b")]))
        let data = try await builder.route(.get, .users).loadData().process()
        let echo: Data = try await builder.route(.post, .auth).loadData(sending: .json).process(user)
        let cast = try await builder.route(.post, .auth).build().process(user) as User
        async let parallel: User = builder.route(.post, .auth).build().process(user)
        let generic: [User] = try await anything(.users)
        let observed: Observer<[User]> = builder.route(.get, .users).build().process()
        let names = [try await parallel.name, cast.name, uploaded.name, json["name"]?.string ?? "", plain[0].name]
        return [
            list.count, maybe == nil ? 0 : 1, around.model.count, data.isEmpty ? 0 : 1, echo.isEmpty ? 0 : 1,
            generic.count, try await observed.value.count, Set(names).count,
        ]
    }

    /// In a synchronous function each call gives an observer, which may be dropped.
    func observed() -> Observer<Void> {
        builder.route(.get, .users).build().process()
        builder.route(.post, .auth).build().process(user)
        builder.route(.post, .auth).build().process([user])
        builder.route(.post, .auth).build().process(["k": 1])
        builder.route(.post, .auth).build().process(["k": 1, "flag": true])
        builder.route(.post, .auth).build().process(MultipartModel([.field("a", "b")])).onCompleted {}
        builder.route(.get, .users).build().process().onCompleted { (users: [User]) in _ = users.count }
        builder.route(.get, .users).loadData().process().onCompleted { data in _ = data.count }
        let echo: Observer<User> = builder.route(.post, .auth).build().process(user)
        echo.onError { error in _ = "\(error)" }
        return builder.route(.get, .users).build().process().map { (users: [User]) in _ = users.count }
    }

    /// A chain of calls that ends in nothing.
    func mapsToVoid() -> Observer<Void> {
        let builder = builder
        return builder.route(.post, .auth).build().process(user).flatMap { (user: User) -> Observer<Void> in
            builder.route(.post, .taskState).build().process(["name": user.name])
        }
    }

    func anything<Model: DTODecodable & Sendable>(_ route: RegistrationRoute) async throws -> Model
    where Model.DTO.Raw == Json {
        try await builder.route(.get, route).build().process()
    }

    /// The default chain once more, of public nodes.
    func ownChain(_ transport: any Transport) -> Chain<User, User> {
        var client = Client(transport: transport).retry().breaker(CircuitBreaker()).set(redirectLimit: 3)
            .idempotencyKey()
        // A policy of an outside package stands at any position.
        for position in ChainPosition.all {
            client = client.with(PassingPolicy(positions: [.inside(of: position, "passing")]))
        }
        let bytes = client.configuration.parts.exchange()
        let settings = client.set(query: ["own": 1]).add(header: "X-Own", "1").requestSettings
        let reading = ResponseNode<User>(next: bytes)
        let route = RegistrationRoute.auth
        let models = RequestNode<Json, User>(next: reading, method: .post, route: route, settings: settings)
        return Chain(DTOEncodingNode<User, User>(next: RawEncodingNode<UserEntry, User>(next: models)))
    }

    /// Every value that passes between nodes can be made outside.
    func values(_ url: URL) -> [String] {
        let request = TransportRequest(method: .post, url: url, headers: ["A": "b"], body: .bytes(Data()))
        let response = TransportResponse(status: 200, headers: [:], body: .bytes(Data()), url: url, timings: .init())
        let failed = FailedResponse(status: 500, headers: [:], body: Data(), url: url)
        let context = RequestContext(deadline: .seconds(1))
        return [
            "\(RequestModel(metadata: [:], payload: Json.null))",
            "\(RoutedRequest(method: .get, route: 7, metadata: [:], payload: Json.null))",
            "\(EncodedPayload(query: "", body: .empty, contentType: nil))", "\(request)", "\(response)",
            "\(Response(model: 1, status: 200, headers: [:], url: url, timings: response.timings))",
            "\(NetworkError(.notFound, "none", node: "Own", response: failed, cause: nil))", "\(context.attempt)",
        ]
    }
}

func checkForms(_ server: LoopbackServer) async -> String {
    do {
        let forms = Forms(builder: .init(), user: User(name: "Ada", age: 36, type: .owner, photos: []))
        let counts = try await forms.awaited()
        guard counts == [1, 1, 1, 1, 1, 1, 1, 1] else { return "awaited: \(counts)" }
        try await forms.observed().value
        try await forms.mapsToVoid().value
        guard server.requests.contains(where: { $0.target == "/tasks" }) else { return "no second call" }
        let own: User = try await forms.ownChain(CurlTransport()).process(forms.user)
        guard own.name == "Ada", let last = server.requests.last(where: { $0.target == "/user/auth?own=1" }),
            last.headers["x-own"] == "1", last.headers["Idempotency-Key"] != nil,
            last.headers["X-Passed"]?.split(separator: " ").map(String.init) == ChainPosition.all.map(\.name)
        else { return "own chain: \(own)" }
        return forms.values(server.url).isEmpty ? "no values" : "ok"
    } catch {
        return "\(error)"
    }
}

/// Writes down that a request has passed its position.
nonisolated struct PassingPolicy: ChainPolicy {
    let positions: [ChainPosition]

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        let place = ChainPosition.all.last { $0 < position }?.name ?? ""
        return AnyNode("PassingNode", successors: [next]) { request, context in
            var request = request
            request.headers["X-Passed"] = request.headers["X-Passed"].map { "\($0) \(place)" } ?? place
            return try await next.process(request, context: context)
        }
    }
}
