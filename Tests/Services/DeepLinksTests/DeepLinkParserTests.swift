import DeepLinks
import DeepLinksDocumentNames
import TestSupport

@Suite("Deep-link parser", .timeLimit(.minutes(10)), .paced)
struct DeepLinkParserTests {
    static let parser = DeepLinkParser(schemes: ["app"], hosts: ["example.com"], routes: Tutorial.routes)

    static let addresses: [(String, Verdict)] = [
        ("app://messages/1", .opens(.chat("1"))), ("APP://Messages/1", .opens(.chat("1"))),
        ("app:///messages/1", .opens(.chat("1"))), ("app:messages/1", .opens(.chat("1"))),
        ("app:/messages/1", .opens(.chat("1"))), ("app://messages", .opens(.messages(.root))),
        ("app://messages/", .opens(.messages(.root))), ("app://messages//1", .opens(.chat("1"))),
        ("app://messages/1/", .opens(.chat("1"))), ("app://messages/1?utm=x#f", .opens(.chat("1"))),
        ("app://messages?id=1", .opens(.messages(.root))), ("app://messages/1/2", .rejected(.unknownRoute)),
        ("app://request/7", .opens(.request(id: "7"))), ("app://request", .rejected(.unknownRoute)),
        ("app://request/%20", .rejected(.missingID)), ("app://request/%C2%A0%E3%80%80", .rejected(.missingID)),
        ("app://request/a%2Fb", .rejected(.badPath)), ("app://request/a%2fb", .rejected(.badPath)),
        ("app://request/a%5Cb", .rejected(.badPath)), ("app://request/a\\b", .rejected(.badPath)),
        ("app://request/..", .rejected(.badPath)), ("app://request/%2e%2E", .rejected(.badPath)),
        ("app://request/.", .rejected(.badPath)), ("app://request/...", .opens(.request(id: "..."))),
        ("app://request/%00", .rejected(.badPath)), ("app://request/%C2%85", .rejected(.badPath)),
        ("app://request/%E2%80%A8", .rejected(.badPath)), ("app://request/%", .rejected(.badPath)),
        ("app://request/%4", .rejected(.badPath)), ("app://request/%+1", .rejected(.badPath)),
        ("app://request/%C3%28", .rejected(.badPath)), ("app://request/%2541", .opens(.request(id: "%41"))),
        ("app://request/a+b%20c", .opens(.request(id: "a+b c"))), ("app://request/안녕", .opens(.request(id: "안녕"))),
        ("app://request/%EC%95%88%EB%85%95", .opens(.request(id: "안녕"))), ("app://activity", .opens(.activity)),
        ("app://newListing", .opens(.newListing)), ("app://newlisting", .opens(.newListing)),
        ("app:///Messages/1", .rejected(.unknownRoute)), ("app://message/1", .rejected(.unknownRoute)),
        ("app://messagesx/1", .rejected(.unknownRoute)), ("app://", .rejected(.emptyPayload)),
        ("app:", .rejected(.emptyPayload)), ("app://me@messages/1", .rejected(.userInfoOrPort)),
        ("app://messages:80/1", .rejected(.userInfoOrPort)),
        ("https://example.com/messages/1?utm=x#f", .opens(.chat("1"))),
        ("https://EXAMPLE.com/request/7", .opens(.request(id: "7"))),
        ("HTTPS://example.com/activity/", .opens(.activity)),
        ("https://example.com/Activity", .rejected(.unknownRoute)),
        ("http://example.com/messages/1", .rejected(.scheme("http"))),
        ("https://example.com.evil.com/messages/1", .rejected(.host("example.com.evil.com"))),
        ("https://evil.com/example.com/messages/1", .rejected(.host("evil.com"))),
        ("https://evil.com\\example.com/messages/1", .rejected(.host("evil.com\\example.com"))),
        ("https://example.com./messages/1", .rejected(.host("example.com."))),
        ("https://example%2Ecom/messages/1", .rejected(.host("example%2ecom"))),
        ("https:/messages/1", .rejected(.host(""))),
        ("https://example.com@evil.com/messages/1", .rejected(.userInfoOrPort)),
        ("https://example.com:444/messages/1", .rejected(.userInfoOrPort)),
        ("https://example.com:443/messages/1", .rejected(.userInfoOrPort)),
        ("https://example.com/", .rejected(.emptyPayload)), ("https://example.com", .rejected(.emptyPayload)),
        ("https://example.com?x", .rejected(.emptyPayload)),
        ("javascript:alert(1)", .rejected(.scheme("javascript"))),
        ("other://messages/1", .rejected(.scheme("other"))), ("file:///messages/1", .rejected(.scheme("file"))),
        ("", .rejected(.notAURL)), ("messages/1", .rejected(.notAURL)), ("/messages/1", .rejected(.notAURL)),
        ("://messages/1", .rejected(.notAURL)), (":messages", .rejected(.notAURL)),
        ("1x://messages/1", .rejected(.notAURL)), ("my_app://messages/1", .rejected(.notAURL)),
        ("a\u{212A}p://messages/1", .rejected(.notAURL)), (" app://messages/1", .rejected(.notAURL)),
        ("app://messages/1\n", .rejected(.notAURL)), ("app://messages/a b", .rejected(.notAURL)),
    ]

    @Test("reads exactly the addresses of the table, and a URL as it reads its text", arguments: addresses)
    func reads(text: String, verdict: Verdict) {
        #expect(Verdict(Self.parser, .text(text)) == verdict)
        guard let url = URL(string: text), url.absoluteString == text else { return }
        #expect(Verdict(Self.parser, .url(url)) == verdict)
    }

    @Test("without hosts opens no web address, and a scheme never replaces one")
    func noHosts() {
        let parser = DeepLinkParser(schemes: ["https", "http", "app"], routes: Tutorial.routes)
        #expect(Verdict(parser, .text("https://messages/1")) == .rejected(.scheme("https")))
        #expect(Verdict(parser, .text("http://messages/1")) == .rejected(.scheme("http")))
        #expect(Verdict(parser, .text("app://messages/1")) == .opens(.chat("1")))
    }

    @Test("opens only browsing activities with a host of the app")
    func activities() throws {
        let page = try #require(URL(string: "https://example.com/messages/1"))
        let scheme = try #require(URL(string: "deeplinkTutorial://messages/1"))
        let web = DeepLinkSource.webActivity
        #expect(Verdict(tutorial, .activity(type: web, webpageURL: page)) == .opens(.chat("1")))
        #expect(Verdict(tutorial, .activity(type: web, webpageURL: nil)) == .rejected(.emptyPayload))
        #expect(Verdict(tutorial, .activity(type: web, webpageURL: scheme)) == .rejected(.scheme("deeplinktutorial")))
        #expect(Verdict(tutorial, .activity(type: "spotlight", webpageURL: page)) == .rejected(.unknownRoute))
    }

    @Test(
        "reads shortcuts by their exact type",
        arguments: [
            ("com.myApp.activity", .opens(.activity)), ("com.MyApp.messages", .opens(.messages(.root))),
            ("com.myApp.messages", .rejected(.unknownRoute)), ("com.myApp.newListing", .opens(.newListing)),
            ("", .rejected(.unknownRoute)),
        ] as [(String, Verdict)]
    )
    func shortcuts(type: String, verdict: Verdict) {
        #expect(Verdict(tutorial, .shortcut(type: type)) == verdict)
    }

    @Test("fills a shortcut's pattern from its contents")
    func shortcutInfo() throws {
        let parser = DeepLinkParser(
            schemes: ["app"],
            routes: [DeepLinkRoute("/chats/:id", id: { DeeplinkType.chat($0) }, of: { _ in nil })],
            shortcuts: ["chat": "/chats/:id"]
        )
        #expect(Verdict(parser, .shortcut(type: "chat", info: ["id": "7"])) == .opens(.chat("7")))
        #expect(Verdict(parser, .shortcut(type: "chat", info: ["id": 7])) == .opens(.chat("7")))
        #expect(Verdict(parser, .shortcut(type: "chat", info: ["id": "a/b"])) == .rejected(.badPath))
        #expect(Verdict(parser, .shortcut(type: "chat")) == .rejected(.missingID))
    }

    @Test("keeps a page of trusted sources from links that anyone can make up")
    func trusted() throws {
        let parser = DeepLinkParser(
            schemes: ["app"],
            hosts: ["example.com"],
            routes: [DeepLinkRoute("/activity", opens: DeeplinkType.activity, from: .trusted)]
        )
        let link = try #require(URL(string: "app://activity"))
        let page = try #require(URL(string: "https://example.com/activity"))
        #expect(Verdict(parser, .url(link)) == .rejected(.notAllowedFrom(.link)))
        #expect(Verdict(parser, .text("app://activity")) == .rejected(.notAllowedFrom(.text)))
        #expect(Verdict(parser, .url(link, kind: .app)) == .opens(.activity))
        // Any mail may contain a universal link.
        #expect(!Set<DeepLinkSourceKind>.trusted.contains(.universalLink))
        let activity = DeepLinkSource.activity(type: DeepLinkSource.webActivity, webpageURL: page)
        #expect(Verdict(parser, activity) == .rejected(.notAllowedFrom(.universalLink)))
    }

    @Test("states each reason in one line without a path")
    func descriptions() {
        let reasons: [DeepLinkError] = [
            .notAURL, .scheme("x\ny"), .host("x\ny"), .userInfoOrPort, .badPath, .unknownRoute, .missingID,
            .emptyPayload, .notAllowedFrom(.text), .notAllowed(profile: "a\nb"), .notAuthenticated, .notTapped,
            .duplicate, .replaced, .queueFull, .expired, .discarded, .tooLong, .badQuery, .badParameter("x\ny"),
            .action("x\ny"),
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
        for reason in reasons {
            #expect(!reason.description.contains { $0.isNewline })
            #expect(reason.description.hasPrefix("deep link: "))
        }
    }
}
