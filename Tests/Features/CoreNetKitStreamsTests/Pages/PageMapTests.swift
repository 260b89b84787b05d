import CoreNetKitStreams
import TestSupport

private enum ShopError: Error, Equatable {
    case closed(String)
    case unreadable(Int)
}

@Suite("Converted pages", .timeLimit(.minutes(10)), .paced)
struct PageMapTests {
    private let wire: Wire
    private let strategy = PageStrategy<ItemPage>.cursor(\.next, as: "cursor")

    /// Three pages of an item each.
    init() throws {
        wire = try Wire()
        wire.server.on(.get, "/items") { request in
            switch request.query("cursor") {
            case nil: .json("{\"items\":[1],\"next\":\"a\"}")
            case "a": .json("{\"items\":[2],\"next\":\"b\"}")
            default: .json("{\"items\":[3]}")
            }
        }
    }

    private func pages(isPrefetching: Bool = false, from state: PageState = .init()) -> Pages<ItemPage> {
        var options = PageOptions()
        options.isPrefetching = isPrefetching
        options.state = state
        return wire.get("/items").without(.retry).pages(strategy, options, reading: .json)
    }

    @Test("read the same list with the same state, and their items can be read one by one")
    func map() async throws {
        let pages = pages()
        let texts = pages.map { $0.items.map { "item \($0)" } }
        var iterator = texts.makeAsyncIterator()
        #expect(try await iterator.next() == ["item 1"])
        #expect(pages.state.pages == 1 && texts.state == pages.state)
        #expect(try await texts.elements.collect() == ["item 2", "item 3"])
        #expect(pages.state.isAtEnd && wire.server.requests.count == 3)
    }

    @Test("stay in front of a page whose conversion fails: reading from the state gets it again")
    func failingMap() async throws {
        let pages = pages().map { page in
            if page.items == [2] { throw ShopError.unreadable(2) }
            return page.items
        }
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next() == [1])
        let error = await failure { _ = try await iterator.next() }
        #expect(error?.cause as? ShopError == .unreadable(2) && error?.message.hasPrefix("page 2: ") == true)
        #expect(try await iterator.next() == nil)
        #expect(pages.state.pages == 1)
        #expect(try await self.pages(from: pages.state).elements(\.items).collect() == [2, 3])
    }

    @Test("fail with one's own errors, which no outer closure for errors sees")
    func mapError() async throws {
        wire.server.on(.get, "/items", .status(503))
        let own = pages().mapError { ShopError.closed($0.message) }.mapError { _ in ShopError.unreadable(0) }
        let error = await #expect(throws: ShopError.self) { try await own.collect() }
        guard case .closed(let message) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(message.hasPrefix("page 1: "))
        #expect(own.state.pages == 0)
    }

    @Test(
        "pass the error of an inner conversion to the closure for errors, not that of an outer one",
        arguments: [true, false]
    )
    func order(isInner: Bool) async throws {
        let convert: @Sendable (ItemPage) throws -> ItemPage = { _ in throw ShopError.unreadable(1) }
        let mapped: @Sendable (NetworkError) -> any Error = { _ in ShopError.closed("") }
        let pages = isInner ? pages().map(convert).mapError(mapped) : pages().mapError(mapped).map(convert)
        let error = await #expect(throws: (any Error).self) { try await pages.collect() }
        #expect((error as? ShopError == .closed("")) == isInner)
        #expect(((error as? NetworkError)?.cause as? ShopError == .unreadable(1)) == !isInner)
    }

    @Test("fail with the server's error model where a rejected page has one", arguments: [true, false])
    func mapFailure(hasModel: Bool) async throws {
        wire.server.on(.get, "/items") { request in
            guard request.query("cursor") == "a" else { return .json("{\"items\":[1],\"next\":\"a\"}") }
            return .json(hasModel ? "{\"word\":\"closed\"}" : "{}", status: 409)
        }
        let type = Word.self
        for pages in [pages().mapFailure(as: type), pages().mapFailure(as: type) { problem, _ in problem }] {
            var iterator = pages.makeAsyncIterator()
            #expect(try await iterator.next()?.items == [1])
            let error = await #expect(throws: (any Error).self) { try await iterator.next() }
            #expect((error as? Word == Word(word: "closed")) == hasModel)
            #expect(((error as? NetworkError)?.status == 409) == !hasModel)
            #expect(try await iterator.next() == nil)
            #expect(pages.state.pages == 1)
        }
    }

    @Test("are requested in advance while a page is converted; a conversion that fails abandons the page in advance")
    func prefetching() async throws {
        wire.server.on(.get, "/items") { request in
            let page = LoopbackResponse.json("{\"items\":[\(request.index)],\"next\":\"\(request.index + 1)\"}")
            return request.index == 1 ? page.fault(.stall(.beforeStatus)) : page
        }
        let server = wire.server
        let pages = pages(isPrefetching: true).map { _ -> [Int] in
            try await server.wait { $0.stalls == 1 }
            throw ShopError.unreadable(1)
        }
        #expect(await failure { _ = try await pages.collect() }?.cause as? ShopError == .unreadable(1))
        try await wire.server.wait { $0.open == 0 || $0.stalls == 1 && $0.open == 1 }
        #expect(pages.state.pages == 0 && wire.server.counts.requests == 2)
    }

    @Test("end if they are closed during a conversion: the page is not delivered")
    func closing() async throws {
        let source = pages()
        let pages = source.map { page in
            source.close()
            return page.items
        }
        #expect(try await pages.collect().isEmpty)
        #expect(source.state.pages == 0 && wire.server.requests.count == 1)
    }
}
