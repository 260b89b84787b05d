import DeepLinks
import DeepLinksDocumentNames
import TestSupport

@Suite("Patterns of deep links", .timeLimit(.minutes(10)), .paced)
struct DeepLinkPatternTests {
    enum Page: Sendable, Hashable {
        case room(floor: Int, id: UUID?)
        case search(text: String, page: Int?, isOpen: Bool?)
        case member(user: String, Member)
    }

    enum Member: Sendable, Hashable {
        case profile
        case post(Int)
    }

    static let members: [DeepLinkRoute<Member>] = [
        DeepLinkRoute("/", opens: .profile),
        DeepLinkRoute("/posts/:post<int>", from: [.link, .universalLink]) { parameters in
            parameters.int("post").map { .post($0) }
        } match: {
            if case .post(let id) = $0 { ["post": String(id)] } else { nil }
        },
    ]

    static let routes: [DeepLinkRoute<Page>] =
        [
            DeepLinkRoute("/floors/:floor<int>/rooms?id<uuid>") { parameters in
                parameters.int("floor").map { .room(floor: $0, id: parameters.uuid("id")) }
            } match: {
                if case .room(let floor, let id) = $0 { ["floor": String(floor), "id": id?.uuidString] } else { nil }
            },
            DeepLinkRoute("/search?q!&page<int>&open<bool>") { parameters in
                parameters["q"].map { .search(text: $0, page: parameters.int("page"), isOpen: parameters.bool("open")) }
            } match: { page in
                guard case .search(let text, let number, let isOpen) = page else { return nil }
                return ["q": text, "page": number.map { String($0) }, "open": isOpen.map { String($0) }]
            },
        ]
        + DeepLinkRoute.nested(members, under: "/users/:user", from: [.link, .text]) { member, parameters in
            parameters["user"].map { .member(user: $0, member) }
        } match: { page in
            if case .member(let user, let member) = page { (member, ["user": user]) } else { nil }
        }

    static let parser = DeepLinkParser(schemes: ["app"], hosts: ["example.com"], routes: routes)
    static let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

    static let readable: [(String, Page)] = [
        ("app://floors/3/rooms", .room(floor: 3, id: nil)),
        ("app://floors/-03/rooms?id=\(id.lowercased())", .room(floor: -3, id: UUID(uuidString: id))),
        ("app://search?q=a%26b+c", .search(text: "a&b c", page: nil, isOpen: nil)),
        ("app://search?page=2&q=&other=%20", .search(text: "", page: 2, isOpen: nil)),
        ("https://example.com/search?q=x&open=1&page=07", .search(text: "x", page: 7, isOpen: true)),
        ("app://search?q=1&q=1", .search(text: "1", page: nil, isOpen: nil)),
        ("app://users/kim", .member(user: "kim", .profile)),
        ("app://users/kim/posts/5", .member(user: "kim", .post(5))),
    ]

    @Test("reads typed parameters, query parameters and nested pages, and prints them", arguments: readable)
    func reads(text: String, page: Page) throws {
        let url = try #require(URL(string: text))
        #expect(try Self.parser.parse(.url(url)) == page)
        #expect(try Self.parser.parse(.url(Self.parser.url(for: page))) == page)
    }

    @Test(
        "refuses values of the wrong type, missing ones, and contradictory duplicates",
        arguments: [
            ("app://floors/x/rooms", .unknownRoute), ("app://floors/99999999999999999999/rooms", .unknownRoute),
            ("app://floors/1/rooms?id=1", .unknownRoute), ("app://search", .unknownRoute),
            ("app://search?q=a&open=maybe", .unknownRoute), ("app://search?q=a&q=b", .badQuery),
            ("app://search?q=%", .badQuery), ("app://search?q=%FF", .badQuery), ("app://users/%20", .missingID),
            ("app://users/kim/posts/first", .unknownRoute),
        ] as [(String, DeepLinkError)]
    )
    func refuses(text: String, reason: DeepLinkError) {
        #expect(throws: reason) { try Self.parser.parse(.text(text)) }
    }

    @Test("a nested page opens only from sources that both its part and the page itself allow")
    func nestedSources() {
        #expect(throws: DeepLinkError.notAllowedFrom(.universalLink)) {
            try Self.parser.parse(
                .activity(type: DeepLinkSource.webActivity, webpageURL: URL(string: "https://example.com/users/kim"))
            )
        }
        #expect(throws: DeepLinkError.notAllowedFrom(.text)) { try Self.parser.parse(.text("app://users/kim/posts/5")) }
    }

    @Test("a typed segment is tried before one of any text, whatever the order of the pages")
    func specific() throws {
        let parser = DeepLinkParser<String>(
            schemes: ["app"],
            routes: [
                DeepLinkRoute("/:name", make: { $0["name"].map { "name " + $0 } }, match: { _ in nil }),
                DeepLinkRoute("/:id<int>", make: { $0["id"].map { "id " + $0 } }, match: { _ in nil }),
            ]
        )
        #expect(try parser.parse(.text("app:///5")) == "id 5")
        #expect(try parser.parse(.text("app:///x")) == "name x")
    }

    @Test("an unknown type matches nothing")
    func unknownType() {
        let route = DeepLinkRoute<Int>("/:id<number>", make: { _ in 1 }, match: { _ in ["id": "1"] })
        let parser = DeepLinkParser(schemes: ["app"], routes: [route])
        #expect(throws: DeepLinkError.unknownRoute) { try parser.parse(.text("app:///1")) }
        #expect(throws: DeepLinkError.badParameter("id")) { try parser.url(for: 1) }
        #expect(DeepLinkPattern("a/:id<number>?b!&c<int>").description == "/a/:id<number>?b!&c<int>")
    }

    @Test("5 000 random pages print to what reads the same")
    func random() throws {
        var random = SplitMix64(seed: 11)
        let texts = ["", "a", "&", "=", "+", "%", "a b", "안녕", "?#", "utm", "e\u{301}"]
        for _ in 0..<5_000 {
            let text = (texts.randomElement(using: &random) ?? "") + (texts.randomElement(using: &random) ?? "")
            let number = Int.random(in: .min ... .max, using: &random)
            let page: Page =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: .room(floor: number, id: Bool.random(using: &random) ? UUID(uuidString: Self.id) : nil)
                case 1: .search(text: text, page: Bool.random(using: &random) ? number : nil, isOpen: true)
                default: .member(user: "u" + text, .post(number))
                }
            let url = try Self.parser.url(for: page)
            if try Self.parser.parse(.url(url)) != page { Issue.record("\(page) as \(url.absoluteString)") }
        }
    }

    // MARK: - Explanations

    @Test("explain says which pattern matched, and why those before it did not")
    func explainsMatch() throws {
        let explanation = Self.parser.explain(try #require(URL(string: "app://search?q=x")))
        #expect(explanation.matched == "/search?q!&page<int>&open<bool>")
        #expect(explanation.error == nil)
        #expect(explanation.attempts.last?.mismatch == nil)
        #expect(explanation.description.hasPrefix("opens /search"))
    }

    @Test(
        "explain says why nothing matched",
        arguments: [
            ("app://floors/x/rooms", DeepLinkError.unknownRoute, DeepLinkMismatch.type("floor<int>")),
            ("app://search?page=1", .unknownRoute, .missing("q")),
            ("app://users/kim/messages/5", .unknownRoute, .literal("posts", at: 2)),
            ("app://users/%20", .missingID, .blank),
        ]
    )
    func explainsMismatch(text: String, reason: DeepLinkError, mismatch: DeepLinkMismatch) {
        let explanation = Self.parser.explain(.text(text))
        #expect(explanation.matched == nil)
        #expect(explanation.error == reason)
        #expect(explanation.attempts.contains { $0.mismatch == mismatch })
        #expect(explanation.attempts.count == Self.routes.count)
    }

    @Test("explain shows what is wrong before any pattern, and a page that does not open from there")
    func explainsSources() {
        let foreign = Self.parser.explain(.text("https://evil.test/search?q=x"))
        #expect(foreign.error == .host("evil.test"))
        #expect(foreign.attempts.isEmpty)
        let closed = Self.parser.explain(.text("app://users/kim/posts/5"))
        #expect(closed.error == .notAllowedFrom(.text))
        #expect(closed.attempts.last?.mismatch == .source(.text))
    }

    @Test("an explanation shows no value of the link")
    func discreet() {
        for text in ["app://floors/secret/rooms", "app://search?q=a&open=secret", "app://users/secret/x"] {
            #expect(!Self.parser.explain(.text(text)).description.contains("secret"))
        }
    }
}
