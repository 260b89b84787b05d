import DeepLinks
import DeepLinksDocumentNames
import TestSupport

@Suite("Faults of deep links", .timeLimit(.minutes(10)), .paced)
struct DeepLinkFaultTests {
    @MainActor
    @Test("a host's shortcut that starts the app waits until the profile is known, and opens")
    func shortcutAtLaunch() {
        let pages = Recorder<String>()
        let manager = DeepLinkManager(navigator: DeeplinkNavigator { pages.record($0.title) })
        #expect(manager.handleShortcut(item: ShortcutItem(type: "com.myApp.newListing", localizedTitle: "")))
        ShortcutParser.shared.registerShortcuts(for: .host, in: manager)
        manager.checkDeepLink()
        #expect(pages.values == ["New Listing"])
    }

    @Test("of taps on one link, on another and on the first one again the last counts", arguments: [true, false])
    func tapAfterAnother(isDelivered: Bool) {
        let bench = Bench()
        bench.center.setReady(isDelivered)
        var opened: [DeeplinkType?] = []
        for page in ["messages/1", "messages/2", "messages/1", "messages/1"] {
            bench.open(page)
            if isDelivered { opened.append(bench.deliver()) }
        }
        bench.center.setReady(true)
        if !isDelivered { opened.append(bench.deliver()) }
        #expect(opened == (isDelivered ? [.chat("1"), .chat("2"), .chat("1"), nil] : [.chat("1")]))
        #expect(bench.rejections.values == (isDelivered ? [] : [.replaced, .replaced]) + [.duplicate])
    }

    @Test("a notification whose tap was replaced by another opens when it is tapped again")
    func notificationReplaced() {
        let bench = Bench()
        let message = DeepLinkSource.note(["data": ["messageId": "1"]], id: "n-1")
        bench.center.receive(message)
        bench.open("messages/2")
        bench.center.receive(message)
        bench.center.setReady(true)
        #expect(bench.deliver() == .chat("1"))
    }

    static let hostNames: [(host: String, link: String, isOurs: Bool)] = [
        ("münchen.de", "https://xn--mnchen-3ya.de/messages/1", true),
        ("münchen.de", "https://XN--Mnchen-3YA.de/messages/1", true),
        ("münchen.de", "https://MÜNCHEN.de/messages/1", true),
        ("münchen.de", "https://m%C3%BCnchen.de/messages/1", true),
        ("xn--mnchen-3ya.de", "https://münchen.de/messages/1", true),
        ("faß.de", "https://xn--fa-hia.de/messages/1", true),
        ("例え.jp", "https://xn--r8jz45g.jp/messages/1", true),
        ("münchen.de", "https://munchen.de/messages/1", false),
        ("faß.de", "https://fass.de/messages/1", false),
        ("example.com", "https://xn--example-.com/messages/1", false),
        ("kim.com", "https://\u{212A}im.com/messages/1", false),
        ("münchen.de", "https://xn--mnchen-3ya.de.evil.com/messages/1", false),
    ]

    @Test("a host is the same in its own script and in Punycode", arguments: hostNames)
    func internationalHosts(host: String, link: String, isOurs: Bool) throws {
        let parser = DeepLinkParser(schemes: ["app"], hosts: [host], routes: Tutorial.routes)
        if isOurs {
            #expect(try parser.parse(.text(link)) == .chat("1"))
        } else {
            #expect(throws: DeepLinkError.self) { try parser.parse(.text(link)) }
        }
        // What is printed is read, as the system delivers it too.
        let printed = try parser.universalLink(for: .chat("1"))
        #expect(try parser.parse(.activity(type: DeepLinkSource.webActivity, webpageURL: printed)) == .chat("1"))
    }

    @Test("two shortcuts of one type with different contents are different")
    func shortcutsOfOneType() {
        let bench = Bench(
            routes: [DeepLinkRoute("/messages/:id", id: { .chat($0) }, of: { _ in nil })],
            policy: .queue(max: 5),
            shortcuts: ["chat": "/messages/:id"]
        )
        for id in ["1", "2", "1"] { bench.center.receive(.shortcut(type: "chat", info: ["id": Json(id)])) }
        #expect(bench.center.state == .pending([.chat("1"), .chat("2")]))
    }

    @Test("one notification is one tap, however late it is reported again")
    func notificationReportedLate() {
        let bench = Bench(policy: .queue(max: 5))
        let message = DeepLinkSource.note(["data": ["messageId": "1"]], id: "n-1")
        bench.center.receive(message)
        bench.time.advance(by: .milliseconds(3_000))
        #expect(bench.center.receive(message))
        #expect(bench.center.state == .pending([.chat("1")]))
        #expect(bench.rejections.values == [.duplicate])
    }

    @Test(
        "a link whose id is invisible, too long or changes the text direction is not opened",
        arguments: [
            "%E2%80%8B", "%EF%BB%BF", "%C2%AD%E2%81%A0", "a%E2%80%AEb", String(repeating: "a", count: 2_000_000),
        ]
    )
    func strangeIDs(id: String) {
        #expect(throws: DeepLinkError.self) { try tutorial.parse(.text("deeplinkTutorial://messages/" + id)) }
        let text = id.removingPercentEncoding ?? ""
        #expect(throws: DeepLinkError.self) { try tutorial.parse(.note(["data": ["messageId": Json(text)]])) }
        #expect(throws: DeepLinkError.self) { try tutorial.url(for: .chat(text)) }
    }

    // MARK: - Document 001

    @MainActor
    @Test("the manager opens universal links of its hosts")
    func hosts() throws {
        let manager = DeepLinkManager(navigator: DeeplinkNavigator())
        let url = try #require(URL(string: "https://example.com/messages/1"))
        #expect(!manager.handleDeeplink(url: url))
        manager.hosts = ["example.com"]
        #expect(manager.handleDeeplink(url: url))
        #expect(manager.center.state == .pending([.chat("1")]))
    }

    @MainActor
    @Test("a notification that arrives while the app is in front opens nothing later")
    func foreground() {
        let manager = DeepLinkManager(navigator: DeeplinkNavigator())
        manager.isInForeground = { true }
        manager.handleRemoteNotification(["data": ["messageId": "1"]])
        #expect(manager.center.state == .idle)
        manager.isInForeground = { false }
        manager.handleRemoteNotification(["data": ["messageId": "1"]])
        #expect(manager.center.state == .pending([.messages(.details(id: "1"))]))
    }
}
