import DeepLinks
import DeepLinksDocumentNames
import TestSupport

@Suite("Deep-link arrivals", .timeLimit(.minutes(10)), .paced)
struct DeepLinkArrivalTests {
    @Test("a delivered link says where it came from: its kind, campaign, query")
    func campaign() throws {
        let bench = Bench(isReady: true)
        let url = try #require(
            URL(string: "https://example.com/messages/1?utm_source=news+letter&utm_campaign=spring%21&x=1#top")
        )
        bench.center.receive(.activity(type: DeepLinkSource.webActivity, webpageURL: url))
        var arrivals: [DeepLinkArrival<DeeplinkType>] = []
        bench.center.deliverArrival { arrivals.append($0) }
        let arrival = try #require(arrivals.first)
        #expect(arrival.link == .chat("1"))
        #expect(arrival.sourceKind == .universalLink)
        #expect(arrival.campaign?.source == "news letter")
        #expect(arrival.campaign?.name == "spring!")
        #expect(arrival.campaign?.medium == nil)
        #expect(arrival.query["x"] == "1")
        #expect(arrival.pattern == "/messages/:id")
        #expect(arrival.notificationID == nil)
    }

    @Test("a delivered link says which notification and which action it came from")
    func notification() async throws {
        let parser = DeepLinkParser(
            schemes: ["app"],
            routes: Tutorial.routes,
            notifications: [.id(at: "data.messageId", opens: "/messages/:id")],
            actions: ["reply": .sameAsTap, "request": .page("/request/:requestId")]
        )
        #expect(parser.routes.count == 5)
        let center = DeepLinkCenter(parser: parser)
        center.setReady(true)
        center.receive(.note(["data": ["messageId": "1"]], id: "n-1", action: "reply"))
        let arrival = try await center.nextArrival().value
        #expect(arrival.notificationID == "n-1")
        #expect(arrival.action == "reply")
        #expect(arrival.sourceKind == .notification)
        #expect(arrival.campaign == nil)
        var loop = center.arrivals.makeAsyncIterator()
        center.receive(.note(["data": ["requestId": 7]], id: "n-1", action: "request"))
        #expect(await loop.next()?.link == .request(id: "7"))
    }

    @Test("only actions with a rule open a page", arguments: ["delete", "markRead", ""])
    func actions(name: String) {
        let content: Json = ["data": ["messageId": "1"]]
        #expect(Verdict(tutorial, .note(content, action: name)) == .rejected(.action(name)))
        #expect(Verdict(tutorial, .note(content)) == .opens(.chat("1")))
    }

    @Test("the contents of a notification are read: category, badge, title, text")
    func shown() {
        let full = NotificationPayload(content: [
            "aps": ["alert": ["title": "T", "body": "B"], "badge": 3, "category": "message"]
        ])
        #expect([full.category, full.title, full.body] == ["message", "T", "B"])
        #expect(full.badge == 3)
        #expect(NotificationPayload(content: ["aps": ["alert": "B", "badge": 0]]).badge == 0)
        #expect(NotificationPayload(content: ["aps": ["alert": "B", "badge": -4]]).badge == 0)
        #expect(NotificationPayload(content: ["aps": ["alert": "B", "badge": "3"]]).badge == nil)
        #expect(NotificationPayload(content: ["aps": ["alert": "B"]]).body == "B")
    }

    @Test("every delivered link is reported once, however it is delivered")
    func reported() async throws {
        let reports = Recorder<String>()
        let center = DeepLinkCenter(
            parser: tutorial,
            policy: .queue(max: 5),
            onDelivered: { reports.record($0.link.title) }
        )
        for id in 1...3 { center.receive(.text("deeplinkTutorial://request/\(id)")) }
        #expect(reports.values.isEmpty)
        center.setReady(true)
        _ = try await center.next().value
        for await _ in center.links { break }
        center.deliver { _ in }
        center.deliver { _ in }
        #expect(reports.values == (1...3).map { "Request Details \($0)" })
    }

    // MARK: - Confirmation

    private func confirming(_ reports: Recorder<String>) -> DeepLinkCenter<DeeplinkType> {
        let page = DeepLinkRoute<DeeplinkType>(
            "/request/:id",
            confirms: .untrusted,
            id: { .request(id: $0) },
            of: { _ in nil }
        )
        let center = DeepLinkCenter(
            parser: DeepLinkParser(schemes: ["app"], routes: [page]),
            policy: .queue(max: 5),
            onRejected: { reason, _ in reports.record(reason.code.description) },
            onUnconfirmed: { reports.record($0.link.title) }
        )
        center.setReady(true)
        return center
    }

    @Test("a page may ask the user before opening a link that anybody may have written")
    func confirmation() throws {
        let reports = Recorder<String>()
        let center = confirming(reports)
        #expect(center.receive(.text("app://request/1")))
        #expect(center.receive(.text("app://request/2")))
        #expect(!center.deliver { _ in })
        #expect(center.unconfirmed.map(\.link) == [.request(id: "1"), .request(id: "2")])
        center.confirm(try #require(center.unconfirmed.last))
        center.refuse(try #require(center.unconfirmed.first))
        var opened: [DeeplinkType] = []
        center.deliver { opened.append($0) }
        #expect(opened == [.request(id: "2")])
        #expect(center.state == .idle)
        #expect(reports.values == ["Request Details 1", "Request Details 2", "discarded"])
    }

    @Test("the app's own links need no confirmation")
    func ownLink() throws {
        let center = confirming(Recorder())
        center.receive(.url(try #require(URL(string: "app://request/1")), kind: .app))
        #expect(center.unconfirmed.isEmpty)
        #expect(center.deliver { _ in })
    }
}
