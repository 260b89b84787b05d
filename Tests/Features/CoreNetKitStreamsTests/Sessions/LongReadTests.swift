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

    private let folder: TemporaryFolder

    init() throws {
        wire = try Wire()
        folder = try TemporaryFolder()
    }

    private func expectAnnAlone() {
        #expect(wire.server.requests.map { $0.headers["Authorization"] } == ["Bearer ann"])
    }

    @Test("pages", arguments: Change.allCases)
    func pages(change: Change) async throws {
        let tokens = tokens
        wire.server.on(.get, "/items") { _ in
            change.make(tokens)
            return .json("[1]").header("Link", "</items?page=2>; rel=next")
        }
        let pages: Pages<[Int]> = wire.get("/items").authorize(tokens).pages(.link, reading: .json)
        var read: [[Int]] = []
        let error = await #expect(throws: NetworkError.self) {
            for try await page in pages { read.append(page) }
        }
        #expect(read == [[1]])
        #expect(error?.code == .userChanged)
        expectAnnAlone()
    }

    @Test("the connections of an event stream", arguments: Change.allCases)
    func events(change: Change) async throws {
        let tokens = tokens
        wire.server.on(.get, "/e") { _ in
            change.make(tokens)
            return .events("retry: 0\ndata: a\n\n")
        }
        let stream = try await wire.get("/e").authorize(tokens).events().process()
        var events: [String] = []
        let error = await #expect(throws: NetworkError.self) {
            for try await event in stream { events.append(event.model.data) }
        }
        #expect(events == ["a"])
        #expect(error?.code == .userChanged)
        expectAnnAlone()
    }

    @Test("the requests of an upload", arguments: Change.allCases)
    func upload(change: Change) async throws {
        let tokens = tokens
        wire.server.on(.post, "/files") { _ in
            change.make(tokens)
            return .status(201, headers: ["Location": "/files/1", "Tus-Resumable": "1.0.0"])
        }
        let file = folder["file"]
        try Data("content".utf8).write(to: file)
        let chain = wire.post("/files").authorize(tokens).upload(file: file, using: .tus())
        let error = await #expect(throws: NetworkError.self) { _ = try await chain.process() }
        #expect(error?.code == .userChanged || error?.history.last?.code == .userChanged)
        expectAnnAlone()
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
