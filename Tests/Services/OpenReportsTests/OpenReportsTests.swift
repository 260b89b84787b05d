import AlarmService
import CoreNetKitOutbox
import DeepLinks
import FileModel
import OpenReports
import TestSupport

@Suite("Reports of what was opened", .timeLimit(.minutes(10)), .paced)
struct OpenReportsTests {
    private let mock = MockTransport()
    private let files = ModelFiles()
    private let url = URL(string: "http://127.0.0.1/opens") ?? URL(filePath: "/")

    private typealias App = (outbox: Outbox, client: Client, opens: OpenReports)

    private func launch(_ files: ModelFiles, user: String = "alice") -> App {
        let clock = SkippingClock()
        let outbox = Outbox(files: files, folder: "/box", clock: clock) { clock.date }
        let client = Client(transport: mock).set(partition: Partition(user)).outbox(outbox)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        return (outbox, client, OpenReports(to: url, client: client, now: { now }))
    }

    private func parser() -> DeepLinkParser<String> {
        DeepLinkParser(
            schemes: ["app"],
            hosts: ["example.com"],
            routes: [DeepLinkRoute("/messages/:id", id: { $0 }, of: { $0 })],
            notifications: [.id(at: "data.messageId", opens: "/messages/:id")]
        )
    }

    private var bodies: [Json] { mock.requests.compactMap { try? Json(parsing: Data($0.text.utf8)) } }

    @Test("nothing is reported unless requested")
    func off() async throws {
        let app = launch(files)
        let center = DeepLinkCenter(parser: parser())
        center.setReady(true)
        center.receive(.text("app://messages/1"))
        center.deliver { _ in }
        try await app.outbox.drain(with: app.client)
        #expect(mock.requests.isEmpty)
    }

    @Test("a delivered link is reported once: its page and source, never its contents")
    func link() async throws {
        mock.on(.post, "/opens", .status(204))
        let app = launch(files)
        let center = DeepLinkCenter(parser: parser(), onDelivered: { app.opens.report($0) })
        center.setReady(true)
        for _ in 0..<2 {
            center.receive(.notification(NotificationPayload(content: ["data": ["messageId": "secret-7"]], id: "n-1")))
            center.deliver { _ in }
        }
        let web = try #require(URL(string: "https://example.com/messages/8?utm_campaign=spring"))
        center.receive(.activity(type: DeepLinkSource.webActivity, webpageURL: web))
        center.deliver { _ in }
        await app.opens.stored()
        try await app.outbox.drain(with: app.client)
        #expect(bodies.map { $0["event"]?["source"]?.string } == ["notification", "universalLink"])
        #expect(bodies.map { $0["event"]?["what"]?.string } == ["/messages/:id", "/messages/:id"])
        #expect(bodies.map { $0["event"]?["campaign"]?.string } == [nil, "spring"])
        #expect(bodies.map { $0["at"]?.int64 } == [1_800_000_000_000, 1_800_000_000_000])
        #expect(!mock.requests.contains { $0.text.contains("secret-7") })
    }

    @Test("an opened alarm is reported once, and not if it was read before")
    func alarm() async throws {
        mock.on(.post, "/opens", .status(204))
        let page = #"{"data":[{"seq":2,"type":"F02"},{"seq":1,"type":"F01","is_read":1}],"unread_count":1}"#
        mock.on(.get, "/notifications", .json(page))
        mock.on(.post, "/notifications/action", .json(#"{"result":1,"affected":1,"unread_count":0}"#))
        let app = launch(files)
        let base = try #require(URL(string: "http://127.0.0.1"))
        let alarms = AlarmClient(base: base, builder: UrlChainsBuilder(client: app.client))
        let list = AlarmList(client: alarms, onOpened: { app.opens.report($0) }) { $0 }
        try await list.refresh()
        for sequence in [2, 2, 1] { _ = try await list.open(sequence).read.value }
        await app.opens.stored()
        try await app.outbox.drain(with: app.client)
        #expect(bodies.compactMap { $0["event"]?["id"]?.string } == ["2"])
        #expect(bodies.compactMap { $0["event"]?["what"]?.string } == ["F02"])
    }

    @Test("a report survives the process, and a lost response causes no second report: the key is the same")
    func restart() async throws {
        mock.on(.post, "/opens", .status(204))
        mock.on(.post, "/opens", times: 1, .failure(.connectionLost))
        let event = OpenEvent("link", id: "n-1", what: "/messages/:id")
        let first = launch(files)
        first.opens.report(event)
        await first.opens.stored()
        let next = launch(files.afterKill())
        // The hook may tell it again after a restart.
        next.opens.report(event)
        await next.opens.stored()
        #expect(await next.outbox.state.waiting == 1)
        try await next.outbox.drain(with: next.client)
        let keys = mock.requests.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && Set(keys).count == 1)
        #expect(await next.outbox.state.waiting == 0)
    }

    @Test("what one user opened is not reported as another user's, and is distinguished from it")
    func users() async throws {
        mock.on(.post, "/opens", .status(204))
        let event = OpenEvent("alarm", id: "5", what: "F01")
        let alice = launch(files)
        alice.opens.report(event)
        await alice.opens.stored()
        let bob = launch(files.afterKill(), user: "bob")
        bob.opens.report(event)
        await bob.opens.stored()
        try await bob.outbox.drain(with: bob.client)
        #expect(mock.requests.count == 1)
        #expect(await bob.outbox.state.waiting == 1)
    }

    @Test("what cannot be stored is reported")
    func lost() async throws {
        let lost = Recorder<String>()
        let opens = OpenReports(to: url, client: Client(transport: mock), onLost: { event, _ in lost.record(event.id) })
        opens.report(OpenEvent("link", id: "1", what: "/"))
        await opens.stored()
        #expect(lost.values == ["1"])
        #expect(mock.requests.isEmpty)
    }

    @Test("a thousand events are remembered: earlier ones are reported again, and the server recognises them")
    func bound() async throws {
        let lost = Recorder<String>()
        // Without an outbox each event that is to be stored is lost, which shows it.
        let opens = OpenReports(to: url, client: Client(transport: mock), onLost: { event, _ in lost.record(event.id) })
        func report(_ numbers: some Sequence<Int>) async {
            for number in numbers { opens.report(OpenEvent("alarm", id: "\(number)", what: "F01")) }
            await opens.stored()
        }
        await report(0..<1000)
        #expect(lost.values.count == 1000)
        await report(0..<1000)
        #expect(lost.values.count == 1000)
        await report([1000])
        await report([0, 1000])
        #expect(lost.values.count == 1002)
        #expect(lost.values.last == lost.values.first)
    }
}
