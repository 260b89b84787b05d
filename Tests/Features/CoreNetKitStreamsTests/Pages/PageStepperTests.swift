import TestSupport

@testable import CoreNetKitStreams

@Suite("Pages: from one to the next", .timeLimit(.minutes(10)), .paced)
struct PageStepperTests {
    private let base: URL

    init() throws { base = try #require(URL(string: "https://api.example/items")) }

    /// The URL of the next page, without its origin; `nil` at the end.
    private func target(_ stepper: PageStepper) throws -> String? {
        try stepper.target()?.absoluteString.replacing("https://api.example", with: "")
    }

    private func facts(_ change: (inout PageFacts) -> Void) -> PageFacts {
        var facts = PageFacts(url: base)
        change(&facts)
        return facts
    }

    private func expectFault(
        _ code: StreamError.Code,
        _ stepper: inout PageStepper,
        at location: SourceLocation = #_sourceLocation,
        _ change: (inout PageFacts) -> Void
    ) {
        let error = #expect(throws: StreamError.self, sourceLocation: location) { try stepper.accept(facts(change)) }
        #expect(error?.code == code && error?.index == stepper.state.pages, sourceLocation: location)
    }

    @Test("links are followed until there is none")
    func links() throws {
        var stepper = PageStepper(.link, base: base)
        #expect(try target(stepper) == "/items")
        try stepper.accept(facts { $0.links = ["</items?page=2>; rel=next, </items?page=9>; rel=last"] })
        #expect(try target(stepper) == "/items?page=2")
        try stepper.accept(facts { $0.links = ["</items?page=1>; rel=prev"] })
        #expect(try target(stepper) == nil)
        #expect(stepper.state.isAtEnd)
        #expect(stepper.state.pages == 2)
    }

    @Test("an unreadable link is an error with the page's number, not the end")
    func badLink() throws {
        var stepper = PageStepper(.link, base: base)
        try stepper.accept(facts { $0.links = ["<?page=2>; rel=next"] })
        expectFault(.malformed, &stepper) { $0.links = ["<?page=3; rel=next"] }
    }

    @Test("an absent cursor is the end; an empty one only if set so")
    func cursors() throws {
        var stepper = PageStepper(.cursor(name: "cursor", isEmptyEnd: false), base: base)
        try stepper.accept(facts { $0.cursor = "a" })
        #expect(try target(stepper) == "/items?cursor=a")
        try stepper.accept(facts { $0.cursor = "" })
        #expect(try target(stepper) == "/items?cursor=")
        try stepper.accept(facts { _ in })
        #expect(stepper.state.isAtEnd)

        var other = PageStepper(.cursor(name: "cursor", isEmptyEnd: true), base: base)
        try other.accept(facts { $0.cursor = "" })
        #expect(other.state.isAtEnd)
    }

    @Test(
        "cursors that repeat or cycle end with an error",
        arguments: [["a", "a"], ["a", "b", "a"], ["a", "b", "c", "b"]]
    )
    func circles(_ cursors: [String]) throws {
        var stepper = PageStepper(.cursor(name: "cursor", isEmptyEnd: false), base: base)
        for cursor in cursors.dropLast() { try stepper.accept(facts { $0.cursor = cursor }) }
        expectFault(.repeatedPage, &stepper) { $0.cursor = cursors.last }
    }

    @Test("numbered pages end with an empty page, or a short one if the server does not cap the size")
    func numbered() throws {
        let size = PageSize(items: 10, name: "per_page", isShortPageLast: false)
        var stepper = PageStepper(.page(name: "page", first: 1, size: size), base: base)
        #expect(try target(stepper) == "/items?page=1&per_page=10")
        try stepper.accept(facts { $0.items = 5 })
        #expect(try target(stepper) == "/items?page=2&per_page=10")
        try stepper.accept(facts { $0.items = 0 })
        #expect(stepper.state.isAtEnd)

        let short = PageSize(items: 10, name: "", isShortPageLast: true)
        var other = PageStepper(.page(name: "p", first: 0, size: short), base: base)
        try other.accept(facts { $0.items = 10 })
        #expect(try target(other) == "/items?p=1")
        try other.accept(facts { $0.items = 9 })
        #expect(other.state.isAtEnd)
    }

    @Test("an offset advances by what arrived, not by what was requested, and ends with the total")
    func offsets() throws {
        let size = PageSize(items: 100, name: "limit", isShortPageLast: false)
        var stepper = PageStepper(.offset(name: "offset", size: size), base: base)
        try stepper.accept(facts { ($0.items, $0.total) = (30, 50) })
        #expect(try target(stepper) == "/items?offset=30&limit=100")
        try stepper.accept(facts { ($0.items, $0.total) = (20, 50) })
        #expect(stepper.state.isAtEnd)
        #expect(stepper.state.items == 50)
    }

    @Test("another origin is refused unless allowed, and then reported")
    func foreign() throws {
        for foreign in ["https://evil.example/2", "http://api.example/2", "https://api.example:8443/2"] {
            var stepper = PageStepper(.next, base: base)
            expectFault(.foreignOrigin, &stepper) { $0.next = URL(string: foreign) }
            var open = PageStepper(.next, base: base, allowsForeign: true)
            try open.accept(facts { $0.next = URL(string: foreign) })
            #expect(try open.target() == URL(string: foreign))
        }
        var same = PageStepper(.next, base: base)
        try same.accept(facts { $0.next = URL(string: "HTTPS://API.example:443/2") })
        #expect(!same.state.isAtEnd)
    }

    @Test("a stored state continues where it was, with what was seen")
    func restores() throws {
        var stepper = PageStepper(.cursor(name: "c", isEmptyEnd: false), base: base)
        try stepper.accept(facts { $0.cursor = "a" })
        try stepper.accept(facts { $0.cursor = "b" })
        let stored = try JSONEncoder().encode(stepper.state)
        let state = try JSONDecoder().decode(PageState.self, from: stored)
        var restored = PageStepper(.cursor(name: "c", isEmptyEnd: false), base: base, from: state)
        #expect(try target(restored) == "/items?c=b")
        #expect(restored.state.pages == 2)
        expectFault(.repeatedPage, &restored) { $0.cursor = "a" }
        #expect(throws: StreamError.self) { try PageStepper(.link, base: base, from: state).target() }
    }

    @Test("an endless list stops at the limit")
    func limit() throws {
        var stepper = PageStepper(.cursor(name: "c", isEmptyEnd: false), base: base, limit: 3)
        try stepper.accept(facts { $0.cursor = "1" })
        try stepper.accept(facts { $0.cursor = "2" })
        expectFault(.tooManyPages, &stepper) { $0.cursor = "3" }
    }
}
