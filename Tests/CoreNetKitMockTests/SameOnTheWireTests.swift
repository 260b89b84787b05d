import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitTransport
import Foundation
import Testing

/// One body, once with a mock and once with a real server behind the platform's transport.
@Suite("A mock records what a server receives", .timeLimit(.minutes(1)))
struct SameOnTheWireTests {
    /// What both kinds of recorded requests have in common.
    struct Seen: Equatable {
        var method: String
        var path: String
        var query: [String]
        var headers: [String]
        var body: String
    }

    @Test("method, path, query, fields and body are the same, and so are the results")
    func sameRequests() async throws {
        let mock = MockTransport {
            $0.on(.get, "/users/*", .json(User(name: "Ann", id: 7)))
            $0.on(.get, "/users", .json([User(name: "Ann", id: 7)]))
            $0.on(.post, "/users", .json(User(name: "Bob", id: 8), status: 201))
            $0.on(.post, "/login", .status(204))
            $0.on(.put, "/upload", .text("5"))
            $0.on(.delete, "/users/*", .json(#"{"message":"gone"}"#, status: 404))
        }
        let server = try LoopbackServer()
        server.on(.get, "/users/*", .json(#"{"id":7,"name":"Ann"}"#))
        server.on(.get, "/users", .json(#"[{"id":7,"name":"Ann"}]"#))
        server.on(.post, "/users", .json(#"{"id":8,"name":"Bob"}"#, status: 201))
        server.on(.post, "/login", .status(204))
        server.on(.put, "/upload", .text("5"))
        server.on(.delete, "/users/*", .json(#"{"message":"gone"}"#, status: 404))

        let base = try #require(URL(string: "http://127.0.0.1:1"))
        let mocked = try await useService(base: base, client: Client(transport: mock))
        let real = try await useService(base: server.url, client: Client())

        #expect(mocked == real)
        #expect(mocked.count == 6)
        let onMock = mock.requests.map { request in
            seen(
                request.method,
                request.path,
                request.query.map { "\($0.name)=\($0.value)" },
                request.headers,
                request.body
            )
        }
        let onWire = server.requests.map { request in
            seen(
                request.method,
                request.path,
                request.query.map { "\($0.name)=\($0.value)" },
                request.headers,
                request.body
            )
        }
        #expect(onMock.count == 6)
        for (mock, wire) in zip(onMock, onWire) { #expect(mock == wire) }
        try mock.verify()
    }

    /// The requests of a service; the transport does not show in its results.
    private func useService(base: URL, client: Client) async throws -> [String] {
        let builder = UrlChainsBuilder<URL>(client: client)
        var results: [String] = []

        let one: User = try await builder.route(.get, base + "/users/J%C3%BCrgen%2F1").build().process()
        results.append("\(one)")
        let many: [User] =
            try await builder
            .set(query: ["page": 2, "sort": ["name", "id"], "q": "a b&c+d;é"])
            .set(metadata: ["X-Trace": "t 1"])
            .route(.get, base + "/users?fixed=1")
            .build()
            .process()
        results.append("\(many)")
        let created: User = try await builder.route(.post, base + "/users").build().process(User(name: "Bob", id: 8))
        results.append("\(created)")
        try await builder
            .encode(as: .formUrl)
            .route(.post, base + "/login")
            .build()
            .process(User(name: "a&b=c d", id: 1)) as Void
        results.append("logged in")
        let upload = TransportRequest(
            method: .put,
            url: try base + "/upload",
            headers: ["Content-Type": "text/plain"],
            body: .bytes(Data("hello".utf8))
        )
        let answer = try await client.transport.send(upload)
        results.append("\(answer.status) \(String(decoding: try await answer.body.collect(), as: UTF8.self))")
        do {
            try await builder.route(.delete, base + "/users/9").build().process() as Void
        } catch let error as NetworkError {
            results.append("\(error.code)")
        }
        return results
    }

    /// Without the fields that belong to the wire.
    private func seen(
        _ method: CoreNetKitTransport.Method,
        _ path: String,
        _ query: [String],
        _ headers: Headers,
        _ body: Data
    ) -> Seen {
        let ofWire = ["host", "content-length", "transfer-encoding", "connection", "accept-encoding", "user-agent"]
        let fields =
            headers
            .map { "\($0.name.lowercased()): \($0.value)" }
            .filter { field in !ofWire.contains { field.hasPrefix($0 + ":") } }
        return Seen(
            method: method.rawValue,
            path: path,
            query: query,
            headers: fields.sorted(),
            body: String(decoding: body, as: UTF8.self)
        )
    }
}
