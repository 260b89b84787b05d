import AlarmService
import PushServersMock
import Synchronization
import TestSupport

@Suite("Faults of alarms", .timeLimit(.minutes(10)), .paced)
struct AlarmFaultTests {
    /// Who is signed in; the token and the user change as an app changes them.
    private final class Session: PartitionProvider {
        let isBob = Atomic(false)
        var user: String { isBob.load(ordering: .sequentiallyConsistent) ? "bob" : "alice" }
        var partition: Partition { Partition(user) }
        func signInBob() { isBob.store(true, ordering: .sequentiallyConsistent) }
    }

    private struct SessionToken: MetadataProvider {
        let session: Session
        func metadata() -> Headers { ["Authorization": "Bearer " + session.user] }
    }

    private func client(_ server: LoopbackServer, _ session: Session) -> AlarmClient {
        let builder = UrlChainsBuilder<AlarmRoute>().add(provider: SessionToken(session: session))
        return AlarmClient(base: server.url("/api/v1"), builder: builder.set(partition: session))
    }

    @Test("content that fails behind a success is a failure of the wire, behind a refusal the refusal")
    func brokenContent() async throws {
        for (status, code) in [(200, AlarmError.Code.unavailable), (401, .unauthorized), (409, .stale)] {
            let server = try LoopbackServer { _ in .text("0123456789", status: status).fault(.close(.inBody(5))) }
            let client = client(server, Session())
            let error = await alarmFailure { try await client.page() as AlarmPage }
            #expect(error?.code == code && error?.status == status, "\(status)")
        }
    }

    @Test("a user's tap is never sent as another user: not while it waits, not as a retry")
    func users() async throws {
        let server = try LoopbackServer()
        let alarms = AlarmServer()
        alarms.serve(on: server)
        for _ in 0..<3 { alarms.insert() }
        let session = Session()
        let gate = LoopbackGate()
        let list = AlarmList(client: client(server, session)) { $0 }
        try await list.refresh()
        server.on(.post, "/api/v1/notifications/action") { _ in
            try await gate.wait()
            return .json(#"{"result":1,"affected":1,"unread_count":2}"#)
        }
        let first: Observer<AlarmActionResult> = list.markRead(3)
        let second: Observer<AlarmActionResult> = list.deleteAll()
        _ = try await server.waitForRequests(2)
        session.signInBob()
        gate.open()
        _ = try await first.value
        #expect(await alarmFailure { try await second.value }?.code == .sessionEnded)
        #expect(await alarmFailure { try await list.refresh() as AlarmSnapshot }?.code == .sessionEnded)
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer alice" })
        #expect(list.snapshot.alarms.count == 3)
    }

    @Test("a retry after a user switch is not sent")
    func retryAfterSwitch() async throws {
        let server = try LoopbackServer()
        let session = Session()
        server.on(.post, "/api/v1/notifications/action") { _ in
            session.signInBob()
            return LoopbackResponse(status: 503)
        }
        let builder = UrlChainsBuilder<AlarmRoute>()
            .retry(RetryPolicy(backoff: .exponential(base: .milliseconds(1)))).idempotencyKey()
            .set(partition: session)
        let client = AlarmClient(base: server.url("/api/v1"), builder: builder)
        let list = AlarmList(client: client) { $0 }
        #expect(await alarmFailure { try await list.readAll() as AlarmActionResult }?.code == .sessionEnded)
        #expect(server.requests.count == 1)
    }

    @Test("a list ends with its login, even if the same user signs in again")
    func sameUserAgain() async throws {
        let server = try LoopbackServer()
        let alarms = AlarmServer()
        alarms.serve(on: server)
        alarms.insert()
        let tokens = TokenRefresher(token: AccessToken("a"), origins: .any, user: "alice") { _ in AccessToken("b") }
        let builder = UrlChainsBuilder<AlarmRoute>().authorize(tokens)
        let client = AlarmClient(base: server.url("/api/v1"), builder: builder)
        let list = AlarmList(client: client) { $0 }
        try await list.refresh()
        tokens.set(AccessToken("a2"), user: "alice")
        try await list.refresh()
        let count = server.requests.count
        tokens.set(nil)
        tokens.set(AccessToken("a3"), user: "alice")
        #expect(await alarmFailure { try await list.refresh() as AlarmSnapshot }?.code == .sessionEnded)
        #expect(await alarmFailure { try await list.readAll() as AlarmActionResult }?.code == .sessionEnded)
        #expect(server.requests.count == count)
        try await AlarmList(client: client) { $0 }.refresh()
        #expect(server.requests.count == count + 1)
    }

    @Test("a closed list sends nothing more, gives up running calls, and says so")
    func close() async throws {
        let (bench, list) = try await Bench.loaded(3)
        bench.alarms.failActions(.stall)
        let running: Observer<AlarmActionResult> = list.markRead(3)
        let waiting: Observer<AlarmActionResult> = list.deleteAll()
        let request = try await bench.server.request(at: 1)
        list.close()
        await #expect(throws: CancellationError.self) { try await running.value }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await bench.server.waitForDisconnect(of: request.connection)
        #expect(await alarmFailure { try await list.readAll() as AlarmActionResult }?.code == .closed)
        #expect(await alarmFailure { try await list.loadMore() as AlarmSnapshot }?.code == .closed)
        #expect(bench.actions.count == 1)
        var snapshots = list.snapshots.makeAsyncIterator()
        _ = await snapshots.next()
        #expect(await snapshots.next() == nil)
    }

    @Test("without a known user the taps of a released list are given up: their owner would be unknown")
    func released() async throws {
        let bench = try Bench(2)
        bench.alarms.failActions(.stall)
        let call: Observer<AlarmActionResult> = try await {
            let list = try await bench.loaded()
            let call: Observer<AlarmActionResult> = list.markRead(2)
            let last: Observer<AlarmActionResult> = list.deleteAll()
            withExtendedLifetime(call) {}
            _ = try await bench.server.waitForRequests(2)
            return last
        }()
        await #expect(throws: CancellationError.self) { try await call.value }
        // The server counts a request before it looks into it.
        while bench.actions.isEmpty { await Task.yield() }
        #expect(bench.actions.map { $0["action"] } == ["read"])
    }

    // MARK: - State

    @Test("after deleteAll there is nothing more to load: the list is empty at once")
    func deleteAllPages() async throws {
        let bench = try Bench(5)
        let list = bench.list(pageSize: 2)
        #expect(try await list.refresh().hasMore)
        let call: Observer<AlarmActionResult> = list.deleteAll()
        #expect(list.snapshot.isEmpty)
        _ = try await call.value
        #expect(list.snapshot.isEmpty)
        #expect(try await list.loadMore() == list.snapshot)
    }

    @Test("a failed deleteAll brings the pages back")
    func deleteAllFails() async throws {
        let (bench, list) = try await Bench.loaded(5, pageSize: 2)
        bench.alarms.failActions(.status(500))
        await #expect(throws: AlarmError.self) { try await list.deleteAll() as AlarmActionResult }
        #expect(list.snapshot.hasMore)
        #expect(list.snapshot.alarms.count == 2)
    }

    @Test("a response to an older request does not overwrite a newer count")
    func olderCount() async throws {
        let (bench, list) = try await Bench.loaded(3)
        let gate = LoopbackGate()
        bench.server.on(.post, "/api/v1/notifications/action") { _ in
            try await gate.wait()
            return .json(#"{"result":1,"affected":1,"unread_count":2}"#)
        }
        let read: Observer<AlarmActionResult> = list.markRead(3)
        _ = try await bench.server.waitForRequests(2)
        // The server has carried it out, and a new alarm came; the page says both.
        let page = #"{"data":[{"seq":4},{"seq":3,"is_read":1},{"seq":2},{"seq":1}],"unread_count":3}"#
        bench.alarms.failPages(.text(page))
        #expect(try await list.refresh().unreadCount == 3)
        gate.open()
        _ = try await read.value
        #expect(list.snapshot.unreadCount == 3)
    }

    // MARK: - Texts

    @Test(
        "names are shown without marks, even if the server escapes or truncates them",
        arguments: [
            ("&lt;kim&gt; is live", "kim", "[kim] is live"),
            ("A &amp; B by &lt;k&amp;m&gt;", "k&m", "A & B by [k&m]"),
            ("&lt;lee&gt; is live", "kim", "&lt;lee&gt; is live"),
            ("<kimchi pa…> is live", "kimchi party", "[kimchi pa…] is live"),
            ("<kimchi pa...> is live", "kimchi party", "[kimchi pa...] is live"),
            ("<kimchi party> is live", "kimchi…", "[kimchi party] is live"),
            ("live: <kimchi p…", "kimchi party", "live: [kimchi p…]"),
            ("<lee…> is live", "kimchi", "<lee…> is live"),
            ("<…> is live", "kimchi", "<…> is live"),
            ("<kim> is live", "kimchi", "<kim> is live"),
        ]
    )
    func names(message: String, nick: String, shown: String) {
        let text = AlarmText(message: message, nick: nick)
        #expect(text.segments.map { $0.isHighlighted ? "[\($0.text)]" : $0.text }.joined() == shown)
    }

    @Test("a direction opened by a name ends with it", arguments: ["\u{202E}", "\u{2067}\u{202B}", "\u{2068}"])
    func directions(mark: String) throws {
        let nick = mark + "evil"
        let text = AlarmText(message: "a <\(nick)> b", nick: nick, head: mark + "head")
        for segment in text.segments {
            let opened = segment.text.unicodeScalars.count {
                "\u{202B}\u{202E}\u{2067}\u{2068}".unicodeScalars.contains($0)
            }
            let ended = segment.text.unicodeScalars.count { "\u{202C}\u{2069}".unicodeScalars.contains($0) }
            #expect(opened == ended)
        }
        let range = try #require(text.highlightedRange)
        #expect(String(decoding: Array(text.plain.utf16)[range], as: UTF16.self).contains("evil"))
        #expect(text.plain.hasPrefix("a " + mark))
    }

    @Test("an invisible link is no link, and one of 2 MB is refused before it is read")
    func links() async throws {
        let bench = try Bench()
        bench.alarms.insert(["scheme": "\u{200B}\u{FEFF} "])
        bench.alarms.insert(["scheme": "app://" + String(repeating: "a", count: 2_000_000)])
        let list = try await bench.loaded()
        let blank = try list.open(1)
        #expect(blank.link == nil && blank.refusal == nil)
        let endless = try list.open(2)
        #expect(endless.link == nil)
        #expect((endless.refusal as? AlarmError)?.code == .invalidLink)
    }
}
