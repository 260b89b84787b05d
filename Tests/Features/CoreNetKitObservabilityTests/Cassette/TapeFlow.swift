import CoreNetKitCookies
import CoreNetKitStreams
import TestSupport

/// A flow that programs have: what a server does, and what a client makes of it.
struct TapeFlow: Sendable, CustomStringConvertible {
    let description: String
    let serve: @Sendable (LoopbackServer) -> Void
    /// Gives the models, as texts, without the secrets of them.
    let run: @Sendable (TapeClient) async throws -> [String]

    static let access = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3"
    static let cursor = "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"

    static let all: [TapeFlow] = [
        session, list, page, search, upload, renewal, redirect, cookies, stream, error,
    ]
}

/// A client of a real server, or of a tape.
struct TapeClient: Sendable {
    let client: Client
    let origin: String
    /// Another one each day.
    let password: String

    /// The same with another client.
    func with(_ client: Client) -> TapeClient { TapeClient(client: client, origin: origin, password: password) }

    func url(_ path: String) -> URL { URL(string: origin + path) ?? URL(fileURLWithPath: path) }

    func builder(_ method: HTTPMethod, _ path: String, _ fields: [String: String] = [:]) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>(client: client).set(metadata: fields).route(method, url(path))
    }

    func get<Model: Decodable & Sendable>(_ path: String, _ fields: [String: String] = [:]) async throws -> Model {
        try await builder(.get, path, fields).build().process()
    }

    func post<Model: Decodable & Sendable>(_ path: String, _ body: [String: String]) async throws -> Model {
        try await builder(.post, path).build().process(body)
    }
}

extension TapeFlow {
    private struct Login: Decodable, Sendable {
        struct Token: Decodable, Sendable {
            let access: String
            let expires: Int
        }
        let token: Token
        let otp: Int
        let signature: [Int]
    }

    private struct User: Decodable, Sendable {
        let name: String
        let pin: String?
    }

    private static func isCaller(_ request: LoopbackRequest) -> Bool {
        request.headers["Authorization"] == "Bearer \(access)"
    }

    private static let session = TapeFlow(description: "session") { server in
        let login = #"{"token":{"access":"\#(access)","expires":3600},"otp":123456,"signature":[1,2]}"#
        server.on(.post, "/login", .json(login))
        server.on(.get, "/me") { isCaller($0) ? .json(#"{"name":"Ann"}"#) : .status(403) }
        server.on(.get, "/sessions/*/codes/*") { request in
            request.path == "/sessions/\(access)/codes/123456"
                ? .json(#"{"name":"of \#(access)","pin":null}"#) : .status(403)
        }
    } run: { client in
        let login: Login = try await client.post("/login", ["user": "ann", "password": client.password])
        let me: User = try await client.get("/me", ["Authorization": "Bearer \(login.token.access)"])
        let code: User = try await client.get("/sessions/\(login.token.access)/codes/\(login.otp)")
        return [
            "\(login.token.expires) \(login.signature) \(login.otp > 99_999)", me.name,
            "\(code.name == "of \(login.token.access)") \(code.pin == nil)",
        ]
    }

    private struct Item: Decodable, Sendable {
        let id: String
        let price: Double
    }

    private static let list = TapeFlow(description: "list") { server in
        server.on(.get, "/items", .json(#"[{"id":"\#(access)","price":1.5},{"id":"7","price":2}]"#))
        server.on(.get, "/items/\(access)", .json(#"{"id":"\#(access)","price":1.5}"#))
        server.on(.get, "/items/7", .json(#"{"id":"7","price":2}"#))
    } run: { client in
        let items: [Item] = try await client.get("/items")
        var seen = items.map { "\($0)" }
        for item in items { seen.append("\(try await client.get("/items/\(item.id)") as Item)") }
        return seen
    }

    private struct Page: Decodable, Sendable {
        let items: [Int]
        let next: String?
    }

    private static let page = TapeFlow(description: "page") { server in
        server.on(.get, "/rows") { request in
            switch request.query("cursor") {
            case nil, "": .json(#"{"items":[1,2],"next":"\#(cursor)"}"#)
            case cursor: .json(#"{"items":[3],"next":null}"#)
            default: .status(400)
            }
        }
    } run: { client in
        let pages: Pages<Page> = client.builder(.get, "/rows").pages(.cursor(\.next, as: "cursor"), reading: .json)
        var seen: [String] = []
        for try await page in pages { seen.append("\(page)") }
        return seen
    }

    private struct Found: Decodable, Sendable {
        let session: String
        let hits: Int
    }

    private static let search = TapeFlow(description: "search") { server in
        server.on(.post, "/search", .json(#"{"session":"find-\#(cursor)","hits":2}"#))
        server.on(.get, "/search") { request in
            request.query("q_session") == "find-\(cursor)" && request.query("page") == "2"
                ? .json(#"{"session":"find-\#(cursor)","hits":1}"#) : .status(400)
        }
    } run: { client in
        let first: Found = try await client.post("/search", ["q": "pens"])
        let second: Found = try await client.get("/search?page=2&q_session=\(first.session)")
        return ["\(first.hits) \(second.hits) \(first.session == second.session)"]
    }
}

extension TapeFlow {
    private struct Uploaded: Decodable, Sendable {
        let size: Int
        let receipt: String
    }

    private static let upload = TapeFlow(description: "upload") { server in
        server.on(.put, "/files/*") { request in
            .json(#"{"size":\#(request.body.count),"receipt":"\#(access)"}"#, status: 201)
        }
    } run: { client in
        let folder = try TemporaryFolder()
        let file = try folder.file(Data(repeating: 65, count: 20_000))
        var seen: [String] = []
        for body in [.file(file), chunks("chunk 0", "chunk 1", "chunk 2"), RequestBody.bytes(Data("bytes".utf8))] {
            let request = TransportRequest(method: .put, url: client.url("/files/1"), body: body)
            let response = try await client.client.configuration.transport.send(request)
            let model = try JSONDecoder().decode(Uploaded.self, from: try await response.body.collect())
            seen.append("\(response.status) \(model)")
        }
        return seen
    }

    private struct Renewed: Decodable, Sendable { let access_token: String }

    private static let renewal = TapeFlow(description: "token renewal") { server in
        server.on(.post, "/renew", .json(#"{"access_token":"\#(access)"}"#))
        server.on(.get, "/account") { isCaller($0) ? .json(#"{"name":"Ann"}"#) : .status(401) }
    } run: { client in
        let stale = AccessToken("stale-\(client.password)")
        let tokens = TokenRefresher(token: stale, origins: .only([client.origin])) { _ in
            let renewed: Renewed = try await client.post("/renew", ["refresh_token": client.password])
            return AccessToken(renewed.access_token)
        }
        let holder = client.with(client.client.authorize(tokens))
        return [(try await holder.get("/account") as User).name, (try await holder.get("/account") as User).name]
    }

    private static let redirect = TapeFlow(description: "redirect") { server in
        server.on(.get, "/old", .status(302, headers: ["Location": "/new?ticket=\(access)&page=1"]))
        server.on(.get, "/new") { request in
            request.query("ticket") == access ? .json(#"{"name":"moved"}"#) : .status(403)
        }
    } run: { client in
        [(try await client.get("/old") as User).name]
    }

    private static let cookies = TapeFlow(description: "cookies") { server in
        server.on(.post, "/enter", .json(#"{"name":"in"}"#).header("Set-Cookie", "sid=\(access); Path=/"))
        server.on(.get, "/basket") { request in
            request.headers["Cookie"] == "sid=\(access)" ? .json(#"[{"id":"pen","price":1}]"#) : .status(403)
        }
    } run: { client in
        let holder = client.with(client.client.cookies(CookieJar()))
        let user: User = try await holder.post("/enter", ["password": client.password])
        return [user.name, "\(try await holder.get("/basket") as [Item])"]
    }

    private static let stream = TapeFlow(description: "stream") { server in
        let chunks = [1, 2, 3].map { Data("id: \($0)\ndata: {\"id\":\"\(access)\",\"price\":\($0)}\n\n".utf8) }
        let stream = LoopbackResponse(headers: ["Content-Type": "text/event-stream"], body: .chunks(chunks))
        server.on(.get, "/events", stream)
    } run: { client in
        let events: EventStream<Item> = try await client.builder(.get, "/events").events(reading: .json).process()
        var seen: [String] = []
        for try await item in events {
            seen.append("\(item)")
            if seen.count == 3 { break }
        }
        return seen
    }

    private static let error = TapeFlow(description: "error") { server in
        server.on(.get, "/missing", .json(#"{"error":"no such item","trace":"\#(cursor)"}"#, status: 404))
    } run: { client in
        do {
            return [(try await client.get("/missing") as User).name]
        } catch let error as NetworkError {
            let body = error.response?.body ?? Data()
            return ["\(error.code) \(error.status ?? 0) \(String(decoding: body, as: UTF8.self))"]
        }
    }
}
