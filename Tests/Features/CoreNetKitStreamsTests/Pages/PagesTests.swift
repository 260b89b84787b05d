import CoreNetKitStreams
import TestSupport

@Suite("Lists of pages over a socket", .timeLimit(.minutes(10)), .paced)
struct PagesTests {
    private let wire: Wire

    init() throws { wire = try Wire() }

    private func list(_ path: String = "/items", _ options: PageOptions = .init()) -> Pages<ItemPage> {
        wire.get(path).pages(.cursor(\.next, as: "cursor"), options, reading: .json)
    }

    private func serveCursors(_ pages: [String: String]) {
        wire.server.on(.get, "/items") { .json(pages[$0.query("cursor") ?? ""] ?? "{}") }
    }

    @Test("links are followed, one request for each page")
    func links() async throws {
        wire.server.on(.get, "/items") { request in
            switch request.query("page") {
            case nil: .json("[1,2]").header("Link", "</items?page=2&x=a,b;c>; rel=\"next\"")
            case "2": .json("[3]").header("Link", "</items>; rel=first, <?page=3>; rel=next")
            default: .json("[4]").header("Link", "</items>; rel=first")
            }
        }
        let pages: Pages<[Int]> = wire.get("/items?q=1").pages(.link, reading: .json)
        #expect(wire.server.requests.isEmpty)
        #expect(try await pages.collect() == [[1, 2], [3], [4]])
        #expect(wire.server.requests.map(\.target) == ["/items?q=1", "/items?page=2&x=a,b;c", "/items?page=3"])
        #expect(pages.state.isAtEnd)
    }

    @Test("the next page can be a path below the base of the builder")
    func paths() async throws {
        wire.server.on(.get, "/api/**") { .json($0.path == "/api/a/2" ? "[2]" : "[1]") }
        let client = Client(base: wire.server.url("/api"))
        let strategy = PageStrategy<[Int]>.next { $0.model == [1] ? "/a/\($0.model[0] + 1)" as Client.Path : nil }
        let pages: Pages<[Int]> = client.route(.get, "/a").pages(strategy, reading: .json)
        #expect(try await pages.collect() == [[1], [2]])
        #expect(wire.server.requests.map(\.target) == ["/api/a", "/api/a/2"])
        let baseless: Pages<[Int]> = wire.get("/api/a").pages(strategy, reading: .json)
        #expect(await failure { _ = try await baseless.collect() }?.message.contains("no base") == true)
    }

    @Test("a cursor is added to the existing query; elements are the items of all pages")
    func cursors() async throws {
        serveCursors([
            "": "{\"items\":[1,2],\"next\":\"a b\"}", "a b": "{\"items\":[],\"next\":\"c\"}", "c": "{\"items\":[3]}",
        ])
        #expect(try await list("/items?q=1&cursor=").elements(\.items).collect() == [1, 2, 3])
        #expect(wire.server.requests.map(\.target) == ["", "a%20b", "c"].map { "/items?q=1&cursor=\($0)" })
    }

    @Test("numbered pages and offsets end with an empty page or with the total")
    func numbers() async throws {
        let rows = Array(1...25)
        wire.server.on(.get, "/p") { request in
            let (page, size) = (Int(request.query("page") ?? "") ?? 0, 10)
            return try .json(encoding: Array(rows.dropFirst((page - 1) * size).prefix(size)))
        }
        wire.server.on(.get, "/o") { request in
            // Caps the size.
            let items = Array(rows.dropFirst(Int(request.query("offset") ?? "") ?? 0).prefix(7))
            return .json("{\"items\":\(items),\"total\":25}")
        }
        let pages: Pages<[Int]> = wire.get("/p").pages(.page(size: 10), reading: .json)
        #expect(try await pages.elements.collect() == rows)
        #expect(wire.server.requests.count == 4)
        let strategy = PageStrategy<ItemPage>.offset(size: 100, items: { $0.items.count }, total: \.total)
        let offsets = wire.get("/o").pages(strategy, reading: .json)
        #expect(try await offsets.elements(\.items).collect() == rows)
        #expect(wire.server.requests.dropFirst(4).map { $0.query("offset") } == ["0", "7", "14", "21"])
    }

    @Test("rows that move while the list is read come once if requested")
    func unique() async throws {
        serveCursors(["": "{\"items\":[1,2],\"next\":\"a\"}", "a": "{\"items\":[2,3]}"])
        #expect(try await list().elements(\.items, uniqueBy: { $0 }).collect() == [1, 2, 3])
    }

    @Test("a reader that stops sends nothing more; with prefetching at most one page more")
    func stops() async throws {
        wire.server.on(.get, "/items") { request in
            let page = Int(request.query("cursor") ?? "") ?? 0
            return .json("{\"items\":[\(page)],\"next\":\"\(page + 1)\"}")
        }
        for try await page in list() where page.items == [2] { break }
        #expect(wire.server.requests.count == 3)
        var options = PageOptions()
        options.isPrefetching = true
        let ahead = list("/items", options)
        var iterator = ahead.makeAsyncIterator()
        #expect(try await iterator.next()?.items == [0])
        try await wire.server.waitForRequests(5)
        #expect(try await iterator.next()?.items == [1])
        #expect(ahead.state.pages == 2)
    }

    @Test("a failed page is an error once, and reading can continue from the state")
    func failsAndGoesOn() async throws {
        let count = Locked(0)
        wire.server.on(.get, "/items") { request in
            if request.query("cursor") == "a", count.next() == 1 { return .status(500) }
            return .json(request.query("cursor") == "a" ? "{\"items\":[2]}" : "{\"items\":[1],\"next\":\"a\"}")
        }
        let pages = list()
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next()?.items == [1])
        let error = await expectFailure(.internalServerError) { try await iterator.next() }
        #expect(error?.message.hasPrefix("page 2: ") == true)
        #expect(try await iterator.next() == nil)
        var options = PageOptions()
        options.state = try JSONDecoder().decode(PageState.self, from: JSONEncoder().encode(pages.state))
        #expect(try await list("/items", options).collect() == [ItemPage(items: [2])])
    }

    @Test("a list read to its end gives nothing when reading continues")
    func atEnd() async throws {
        serveCursors(["": "{\"items\":[1]}"])
        let pages = list()
        _ = try await pages.collect()
        var options = PageOptions()
        options.state = pages.state
        #expect(try await list("/items", options).collect().isEmpty)
        #expect(wire.server.requests.count == 1)
    }

    @Test("another origin is refused")
    func foreign() async throws {
        let other = try LoopbackServer { _ in .json("{\"items\":[2]}") }
        wire.server.on(.get, "/items", .json("{\"items\":[1],\"next\":\"\(other.url("/items"))\"}"))
        let strategy = PageStrategy<ItemPage>.next { page in page.model.next }
        let pages = wire.get("/items").pages(strategy, reading: .json)
        let error = await expectFailure(.redirectRefused, .foreignOrigin) { try await pages.collect() }
        #expect(error?.message.hasPrefix("page 1: ") == true && pages.state.pages == 0)
        #expect(other.requests.isEmpty)
    }

    @Test("a model is sent for each page of a search")
    func posts() async throws {
        wire.server.on(.post, "/search") { request in
            .json(request.query("cursor") == nil ? "{\"items\":[1],\"next\":\"a\"}" : "{\"items\":[2]}")
        }
        let strategy = PageStrategy<ItemPage>.cursor(\.next, as: "cursor")
        let pages = wire.post("/search").pages(strategy, of: Word(word: "x"), sending: .json, reading: .json)
        #expect(try await pages.elements(\.items).collect() == [1, 2])
        #expect(wire.server.requests.map(\.text) == ["{\"word\":\"x\"}", "{\"word\":\"x\"}"])
    }
}
