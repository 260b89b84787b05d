import CoreNetKit
import DeepLinks
import DeepLinksDocumentNames
import Foundation
import TestPace
import Testing

/// What once went wrong, each seen to fail before it was mended.
@Suite("Faults of deep links", .timeLimit(.minutes(10)), .paced)
struct DeepLinkFaultTests {
    @Test("a universal link is trusted by nobody: any mail may hold one")
    func universalLink() throws {
        #expect(!Set<DeepLinkOrigin>.trusted.contains(.universalLink))
        let routes = [DeepLinkRoute<DeeplinkType>("/activity", opens: .activity, from: .trusted)]
        let parser = DeepLinkParser(schemes: ["app"], hosts: ["example.com"], routes: routes)
        let page = try #require(URL(string: "https://example.com/activity"))
        let activity = DeepLinkSource.activity(type: DeepLinkSource.webActivity, webpageURL: page)
        #expect(Verdict(parser, activity) == .rejected(.notAllowedFrom(.universalLink)))
    }

    @MainActor
    @Test("a host's shortcut that starts the app waits until the profile is known, and opens")
    func shortcutAtLaunch() {
        let pages = Recorder<String>()
        let manager = DeepLinkManager(navigator: DeeplinkNavigator { pages.record($0.title) })
        #expect(manager.handleShortcut(item: ShortcutItem(type: "com.myApp.newListing", localizedTitle: "")))
        ShortcutParser.shared.registerShortcuts(for: .host, in: manager)
        manager.checkDeepLink()
        #expect(pages.events == ["New Listing"])
    }

    @Test("a tap on what was discarded a moment ago is a new tap")
    func tapAfterDiscard() {
        let bench = Bench()
        bench.open("messages/1")
        bench.center.discard()
        bench.open("messages/1")
        bench.center.setReady(true)
        #expect(bench.deliver() == .chat("1"))
    }

    @Test("two shortcuts of one type that carry different things are two")
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
        let message = DeepLinkSource.notification(
            NotificationPayload(content: ["data": ["messageId": "1"]], id: "n-1")
        )
        bench.center.receive(message)
        bench.time.advance(milliseconds: 3_000)
        #expect(bench.center.receive(message))
        #expect(bench.center.state == .pending([.chat("1")]))
        #expect(bench.rejections.events == [.duplicate])
    }

    @Test(
        "a link is not opened whose id cannot be seen, is endless, or turns text around",
        arguments: [
            "%E2%80%8B", "%EF%BB%BF", "%C2%AD%E2%81%A0", "a%E2%80%AEb", String(repeating: "a", count: 2_000_000),
        ]
    )
    func strangeIDs(id: String) {
        #expect(throws: DeepLinkError.self) { try tutorial.parse(.text("deeplinkTutorial://messages/" + id)) }
        let text = id.removingPercentEncoding ?? ""
        let payload = NotificationPayload(content: ["data": ["messageId": Json(text)]])
        #expect(throws: DeepLinkError.self) { try tutorial.parse(.notification(payload)) }
        #expect(throws: DeepLinkError.self) { try tutorial.url(for: .chat(text)) }
    }

    @Test("an emoji of several parts is an id like any other")
    func emoji() throws {
        #expect(try tutorial.parse(.url(tutorial.url(for: .chat("👨‍👩‍👧")))) == .chat("👨‍👩‍👧"))
    }

    @Test("data that was sent as JSON text is looked into")
    func dataAsText() {
        let content: Json = ["data": #"{"messageId": 7}"#]
        #expect(Verdict(tutorial, .notification(NotificationPayload(content: content))) == .opens(.chat("7")))
        let broken: Json = ["data": #"{"messageId": 7"#]
        #expect(Verdict(tutorial, .notification(NotificationPayload(content: broken))) == .rejected(.emptyPayload))
    }

    // MARK: - Document 001

    @Test(
        "where the document gives nil there is no page",
        arguments: ["activity", "newListing", "messages", "messages/"]
    )
    func pagesWithoutLinks(path: String) throws {
        let url = try #require(URL(string: "deeplinkTutorial://" + path))
        #expect(DeeplinkParser.shared.parseDeepLink(url) == nil)
    }

    @MainActor
    @Test("the manager opens universal links of its hosts")
    func hosts() throws {
        let manager = DeepLinkManager(navigator: DeeplinkNavigator())
        let url = try #require(URL(string: "https://example.com/messages/1"))
        #expect(!manager.handleDeeplink(url: url))
        manager.hosts = ["example.com"]
        #expect(manager.handleDeeplink(url: url))
        #expect(manager.center.state == .pending([.messages(.details(id: "1"))]))
    }

    @MainActor
    @Test("a notification that comes in while the app is in front opens nothing later")
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
