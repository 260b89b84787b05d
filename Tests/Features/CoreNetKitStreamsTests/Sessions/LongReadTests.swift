import CoreNetKitStreams
import TestSupport

/// What takes several calls is one user's: a login in between ends it before anything is sent for the next one.
@Suite("A list, a stream or an upload belongs to the login in which it began", .timeLimit(.minutes(10)), .paced)
struct LongReadTests {
    private let wire: Wire
    private let tokens = TokenRefresher(token: AccessToken("ann"), origins: .any, user: "ann") { _ in
        AccessToken("renewed")
    }

    /// Who signs in between two calls: somebody else, the same name after a logout, nobody.
    enum Change: CaseIterable {
        case other, again, logout

        func make(_ tokens: TokenRefresher) {
            switch self {
            case .other: tokens.set(AccessToken("bob"), user: "bob")
            case .again:
                tokens.set(nil)
                tokens.set(AccessToken("ann 2"), user: "ann")
            case .logout: tokens.set(nil)
            }
        }
    }

    enum Way: CaseIterable { case pages, events, upload }

    init() throws { wire = try Wire() }

    @Test(
        "pages, the connections of an event stream, the requests of an upload",
        arguments: Way.allCases,
        Change.allCases
    )
    func ends(way: Way, change: Change) async throws {
        let tokens = tokens
        let response: LoopbackResponse =
            switch way {
            case .pages: .json("[1]").header("Link", "</?page=2>; rel=next")
            case .events: .events("retry: 0\ndata: a\n\n")
            case .upload: .status(201, headers: ["Location": "/files/1", "Tus-Resumable": "1.0.0"])
            }
        let builder = (way == .upload ? wire.post("/") : wire.get("/")).authorize(tokens)
        wire.server.on(way == .upload ? .post : .get, "/") { _ in
            change.make(tokens)
            return response
        }
        var count = 0
        let error = await failure {
            switch way {
            case .pages: for try await _ in builder.pages(.link, reading: .json([Int].self)) { count += 1 }
            case .events: for try await _ in try await builder.events().process() { count += 1 }
            case .upload: _ = try await builder.upload(.bytes(Data("content".utf8)), using: .tus()).process()
            }
        }
        #expect(count == (way == .upload ? 0 : 1))
        let isInHistory = way == .upload && error?.history.last?.code == .userChanged
        #expect(error?.code == .userChanged || isInHistory)
        #expect(wire.server.requests.map { $0.headers["Authorization"] } == ["Bearer ann"])
    }

    @Test("a renewed token of the same login continues")
    func renewal() async throws {
        let tokens = tokens
        wire.server.on(.get, "/items") { request in
            guard request.query("page") == nil else { return .json("[2]") }
            _ = tokens.adopt(AccessToken("ann, renewed"))
            return .json("[1]").header("Link", "</items?page=2>; rel=next")
        }
        let pages: Pages<[Int]> = wire.get("/items").authorize(tokens).pages(.link, reading: .json)
        #expect(try await pages.collect() == [[1], [2]])
        #expect(wire.server.requests.last?.headers["Authorization"] == "Bearer ann, renewed")
    }
}
