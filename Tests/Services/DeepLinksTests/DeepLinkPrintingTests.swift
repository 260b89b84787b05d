import DeepLinks
import DeepLinksDocumentNames
import TestSupport

@Suite("Printed deep links", .timeLimit(.minutes(10)), .paced)
struct DeepLinkPrintingTests {
    @Test(
        "prints a URL of the scheme and of the host",
        arguments: [
            (.messages(.root), "messages"),
            (.chat("1"), "messages/1"),
            (.chat("a b/c".replacingOccurrences(of: "/", with: "?#%")), "messages/a%20b%3F%23%25c"),
            (.request(id: "안녕"), "request/%EC%95%88%EB%85%95"),
            (.chat("👨‍👩‍👧"), "messages/%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
            (.activity, "activity"), (.newListing, "newListing"),
        ] as [(DeeplinkType, String)]
    )
    func prints(link: DeeplinkType, path: String) throws {
        let url = try tutorial.url(for: link)
        #expect(url.absoluteString == "deeplinkTutorial://" + path)
        #expect(try tutorial.parse(.url(url)) == link)
        #expect(try tutorial.universalLink(for: link).absoluteString == "https://example.com/" + path)
    }

    @Test(
        "refuses to print what would not read back",
        arguments: [
            ("", .missingID), (" ", .missingID), ("..", .badPath), ("a/b", .badPath), ("a\\b", .badPath),
            ("\0", .badPath), ("\u{2028}x", .badPath),
        ] as [(String, DeepLinkError)]
    )
    func refuses(id: String, reason: DeepLinkError) {
        #expect(throws: reason) { try tutorial.url(for: .chat(id)) }
    }

    @Test("without a scheme, a host or a page there is nothing to print")
    func missing() {
        let parser = DeepLinkParser<DeeplinkType>(schemes: [], routes: [])
        #expect(throws: DeepLinkError.scheme("")) { try parser.url(for: .activity) }
        #expect(throws: DeepLinkError.host("")) { try parser.universalLink(for: .activity) }
        let empty = DeepLinkParser<DeeplinkType>(schemes: ["app"], routes: [])
        #expect(throws: DeepLinkError.unknownRoute) { try empty.url(for: .activity) }
    }

    @Test("of two pages the one with more leading literal segments is read, and the other is not printed as it")
    func specific() throws {
        let parser = DeepLinkParser<DeeplinkType>(
            schemes: ["app"],
            routes: [Tutorial.request("/listings/:id"), DeepLinkRoute("/listings/new", opens: .newListing)]
        )
        #expect(Verdict(parser, .text("app://listings/new")) == .opens(.newListing))
        #expect(Verdict(parser, .text("app://listings/newer")) == .opens(.request(id: "newer")))
        #expect(throws: DeepLinkError.unknownRoute) { try parser.url(for: .request(id: "new")) }
        #expect(try parser.url(for: .newListing).absoluteString == "app://listings/new")
    }

    @Test("a pattern starting with a parameter, or a letter not allowed in a host, is printed after an empty host")
    func emptyHost() throws {
        let parser = DeepLinkParser<DeeplinkType>(
            schemes: ["app"],
            routes: [DeepLinkRoute("/메시지", opens: .messages(.root)), Tutorial.request("/:id")]
        )
        for link in [DeeplinkType.messages(.root), .request(id: "A:b@c")] {
            let url = try parser.url(for: link)
            #expect(url.absoluteString.hasPrefix("app:///"))
            #expect(Verdict(parser, .url(url)) == .opens(link))
        }
    }

    @Test("reads and prints several parameters, and asks the page whether they are its own")
    func parameters() throws {
        struct Place: Equatable { let floor: Int, room: String }
        let parser = DeepLinkParser<Place>(
            schemes: ["app"],
            routes: [
                DeepLinkRoute("/floors/:floor/rooms/:room") { parameters in
                    parameters.int("floor").flatMap { floor in parameters["room"].map { Place(floor: floor, room: $0) }
                    }
                } match: {
                    ["floor": String($0.floor), "room": $0.room]
                }
            ]
        )
        let place = Place(floor: 3, room: "a b")
        #expect(try parser.url(for: place).absoluteString == "app://floors/3/rooms/a%20b")
        #expect(try parser.parse(.url(parser.url(for: place))) == place)
        #expect(throws: DeepLinkError.unknownRoute) { try parser.parse(.text("app://floors/x/rooms/1")) }
    }

    @Test("patterns print as they are written")
    func patterns() {
        #expect(DeepLinkPattern("/messages/:id").description == "/messages/:id")
        #expect(("messages//:id/" as DeepLinkPattern).description == "/messages/:id")
        #expect(DeepLinkPattern("").description == "")
    }

    // MARK: - Properties

    @Test("random texts never trap, and what is read prints to what reads the same", .serialized, arguments: 0..<2)
    func random(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var opened = 0
        for index in 0..<TestRounds.count(2_000) {
            // Other tests wait for this thread.
            if index % 100 == 0 { await Task.yield() }
            let text = Self.address(&random)
            guard let link = try? tutorial.parse(.text(text)) else { continue }
            opened += 1
            let read = [
                try tutorial.parse(.url(tutorial.url(for: link))),
                try tutorial.parse(.url(tutorial.universalLink(for: link))),
            ]
            if read != [link, link] { Issue.record("\(text.debugDescription) \(read)") }
        }
        // Random texts that are all refused would show nothing.
        #expect(opened > 200)
    }

    @Test("random links print to what reads the same, or do not print", .serialized, arguments: 100..<102)
    func randomLinks(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var printed = 0
        for index in 0..<TestRounds.count(2_000) {
            if index % 100 == 0 { await Task.yield() }
            let id = Self.text(&random)
            let link: DeeplinkType = Bool.random(using: &random) ? .chat(id) : .request(id: id)
            guard let url = try? tutorial.url(for: link) else { continue }
            printed += 1
            guard case .opens(let read) = Verdict(tutorial, .url(url)) else {
                Issue.record("\(url.absoluteString)")
                continue
            }
            // The same bytes: no normalization on the way.
            if !read.title.utf8.elementsEqual(link.title.utf8) { Issue.record("\(id.debugDescription)") }
        }
        #expect(printed > 400)
    }

    @Test("random notifications never trap")
    func randomNotifications() async {
        var random = SplitMix64(seed: 3)
        for index in 0..<TestRounds.count(2_000) {
            if index % 100 == 0 { await Task.yield() }
            let content: Json = ["data": Self.json(&random, depth: 3), "custom": Self.json(&random, depth: 3)]
            _ = try? tutorial.parse(.note(content))
        }
    }

    private static let pieces = [
        "deeplinkTutorial", "https", "example.com", "://", ":", "/", "//", "messages", "request", "activity", "@", "?",
        "#", "%", "%2F", "%2e", "%00", "%ED%A0%80", "..", ".", "\\", " ", "\0", "안녕", "e\u{301}", "👨‍👩‍👧", "\u{202E}", "1",
        "a",
    ]

    private static func address(_ random: inout SplitMix64) -> String {
        let starts = ["deeplinkTutorial://messages/", "deeplinkTutorial:request/", "https://example.com/messages/", ""]
        return (starts.randomElement(using: &random) ?? "") + text(&random)
    }

    private static func text(_ random: inout SplitMix64) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            if Int.random(in: 0..<3, using: &random) == 0 {
                text += pieces.randomElement(using: &random) ?? ""
            } else if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func json(_ random: inout SplitMix64, depth: Int) -> Json {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
        case 0: return Json(text(&random))
        case 1: return Json(Int.random(in: .min ... .max, using: &random))
        case 2: return nil
        case 3: return [true, 1.5]
        case 4: return ["a": json(&random, depth: depth - 1), "messageId": json(&random, depth: depth - 1)]
        default: return ["u": json(&random, depth: depth - 1), "i": json(&random, depth: depth - 1)]
        }
    }
}
