import AlarmService
import PushServersMock
import TestSupport

@Suite("A list shows each change at once, and takes back only what is refused", .timeLimit(.minutes(10)), .paced)
struct AlarmListTests {
    private func sequences(_ list: AlarmList<String>) -> [Int] { list.snapshot.alarms.map(\.sequence) }

    private func isRead(_ sequence: Int, _ list: AlarmList<String>) -> Bool? {
        list.snapshot.alarms.first { $0.sequence == sequence }?.isRead
    }

    // MARK: - Pages

    @Test("pages follow each other by the cursor, until there is no more")
    func pages() async throws {
        let bench = try Bench(5)
        let list = bench.list(pageSize: 2)
        #expect(list.snapshot == AlarmSnapshot())
        #expect(try await list.loadMore().alarms.map(\.sequence) == [5, 4])
        #expect(try await list.loadMore().alarms.map(\.sequence) == [5, 4, 3, 2])
        let last: AlarmSnapshot = try await list.loadMore()
        #expect(last.alarms.map(\.sequence) == [5, 4, 3, 2, 1])
        #expect(!last.hasMore)
        #expect(last.unreadCount == 5)
        #expect(try await list.loadMore() == last)
        let targets = ["?limit=2", "?before=4&limit=2", "?before=2&limit=2"].map { "/api/v1/notifications" + $0 }
        #expect(bench.server.requests.map(\.target) == targets)
    }

    @Test("one page is loaded at a time: further callers join it")
    func onePage() async throws {
        let bench = try Bench(4)
        let list = bench.list(pageSize: 2)
        let first: Observer<AlarmSnapshot> = list.refresh()
        let same: Observer<AlarmSnapshot> = list.loadMore()
        #expect(first === same)
        #expect(first === list.refresh() as Observer<AlarmSnapshot>)
        #expect(list.snapshot.isRefreshing)
        _ = try await first.value
        #expect(!list.snapshot.isRefreshing)
        let more: Observer<AlarmSnapshot> = list.loadMore()
        #expect(list.snapshot.isLoadingMore)
        #expect(more === list.loadMore() as Observer<AlarmSnapshot>)
        _ = try await more.value
        #expect(bench.server.requests.count == 2)
    }

    @Test("a refresh gives up a running request for an older page: its response is not used")
    func generation() async throws {
        let (bench, list) = try await Bench.loaded(4, pageSize: 2)
        bench.alarms.failPages(.stall)
        let older: Observer<AlarmSnapshot> = list.loadMore()
        _ = try await bench.server.waitForRequests(2)
        let fresh: Observer<AlarmSnapshot> = list.refresh()
        #expect(try await older.value.alarms.map(\.sequence) == [4, 3])
        #expect(try await fresh.value.alarms.map(\.sequence) == [4, 3])
        #expect(!list.snapshot.isLoadingMore)
        #expect(try await list.loadMore().alarms.map(\.sequence) == [4, 3, 2, 1])
    }

    @Test("a failed page leaves the list unchanged, and can be requested again")
    func failedPage() async throws {
        let bench = try Bench(4)
        let list = bench.list(pageSize: 2)
        let before: AlarmSnapshot = try await list.refresh()
        bench.alarms.failPages(.status(500), .html)
        for _ in 0..<2 { await #expect(throws: AlarmError.self) { try await list.loadMore() as AlarmSnapshot } }
        #expect(list.snapshot == before)
        #expect(try await list.loadMore().alarms.count == 4)
    }

    @Test("a cancelled page leaves the list unchanged when cancel() returns")
    func cancelledPage() async throws {
        let bench = try Bench(4)
        let list = bench.list(pageSize: 2)
        bench.alarms.failPages(.stall)
        let page: Observer<AlarmSnapshot> = list.refresh()
        _ = try await bench.server.waitForRequests(1)
        page.cancel()
        #expect(list.snapshot == AlarmSnapshot())
        #expect(try await list.refresh().alarms.count == 2)
    }

    @Test("a server whose cursor does not move does not cause endless loading")
    func cursorStands() async throws {
        let bench = try Bench()
        let list = bench.list()
        let page = #"{"data":[{"seq":5}],"paging":{"has_more":true,"next_before":5}}"#
        bench.alarms.failPages(.text(page), .text(page))
        #expect(try await list.refresh().hasMore)
        let more: AlarmSnapshot = try await list.loadMore()
        #expect(!more.hasMore)
        #expect(more.alarms.map(\.sequence) == [5])
    }

    @Test("without a server count the unread alarms are counted")
    func noCount() async throws {
        let bench = try Bench()
        bench.alarms.failPages(.text(#"{"data":[{"seq":2},{"seq":1,"is_read":"Y"}]}"#))
        #expect(try await bench.list().refresh().unreadCount == 1)
    }

    @Test("the empty view is for an empty list, not for one that is not loaded yet")
    func empty() async throws {
        let bench = try Bench(1)
        let list = bench.list()
        #expect(!list.snapshot.isEmpty)
        #expect(try await list.refresh().isEmpty == false)
        #expect(list.snapshot.canMarkAllAsRead)
        let call: Observer<AlarmActionResult> = list.deleteAll()
        #expect(list.snapshot.isEmpty)
        #expect(!list.snapshot.canMarkAllAsRead)
        _ = try await call.value
        #expect(list.snapshot.isEmpty)
    }

    // MARK: - Actions

    @Test("a tap opens its link and marks it read at once; a refusal is taken back, a second tap sticks")
    func openConflict() async throws {
        let (bench, list) = try await Bench.loaded(3)
        bench.alarms.failActions(.status(409, code: "stale"))
        let opened = try list.open(2)
        #expect(opened.link == "app://alarm/1")
        #expect(isRead(2, list) == true)
        #expect(list.snapshot.unreadCount == 2)
        let error = await alarmFailure { try await opened.read.value }
        #expect(error?.code == .stale)
        #expect(error?.serverCode == "stale")
        #expect(isRead(2, list) == false)
        #expect(list.snapshot.unreadCount == 3)
        #expect(try await list.open(2).read.value == AlarmActionResult(affected: 1, unreadCount: 2))
        #expect(isRead(2, list) == true)
        #expect(bench.actions == Array(repeating: ["action": "read", "seq": "2"], count: 2))
    }

    @Test("a refused link is not followed, but the alarm is read anyway")
    func openRefused() async throws {
        struct Refused: Error {}
        let bench = try Bench(2)
        let list = AlarmList<String>(client: bench.client) { _ in throw Refused() }
        try await list.refresh()
        let opened = try list.open(2)
        #expect(opened.link == nil)
        #expect(opened.refusal is Refused)
        #expect(try await opened.read.value.affected == 1)
        let error = #expect(throws: AlarmError.self) { try list.open(99) }
        #expect(error?.code == .notFound)
    }

    @Test("quick taps on one alarm are one request; on an alarm that was read, none")
    func taps() async throws {
        let (bench, list) = try await Bench.loaded(2)
        let first: Observer<AlarmActionResult> = list.markRead(2)
        let second: Observer<AlarmActionResult> = list.markRead(2)
        #expect(first === second)
        _ = try await first.value
        #expect(try await list.markRead(2) == AlarmActionResult(affected: 0, unreadCount: 1))
        #expect(bench.actions.count == 1)
    }

    @Test("only the failed action is taken back: those before and after it stay")
    func rollbackAlone() async throws {
        let (bench, list) = try await Bench.loaded(5)
        bench.alarms.failActions(.delay(.milliseconds(1)), .status(500), .delay(.milliseconds(1)))
        let read: Observer<AlarmActionResult> = list.markRead(5)
        let deleted: Observer<AlarmActionResult> = list.delete(4)
        let last: Observer<AlarmActionResult> = list.markRead(3)
        #expect(sequences(list) == [5, 3, 2, 1])
        #expect(list.snapshot.unreadCount == 2)
        await #expect(throws: AlarmError.self) { try await deleted.value }
        _ = try await (read.value, last.value)
        #expect(sequences(list) == [5, 4, 3, 2, 1])
        #expect(list.snapshot.alarms.map(\.isRead) == [true, false, true, false, false])
        #expect(list.snapshot.unreadCount == 3)
        #expect(bench.alarms.unreadCount == 3)
        #expect(bench.actions.map { $0["seq"] } == ["5", "4", "3"])
    }

    @Test("cancelling a running readAll takes it back when cancel() returns, and calls onCanceled, then defer")
    func cancelReadAll() async throws {
        let (bench, list) = try await Bench.loaded(3)
        bench.alarms.failActions(.stall)
        let (told, teller) = AsyncStream<String>.makeStream()
        let call: Observer<AlarmActionResult> = list.readAll()
        call.onCanceled { teller.yield("canceled") }.defer { teller.finish() }
        #expect(list.snapshot.unreadCount == 0)
        #expect(!list.snapshot.canMarkAllAsRead)
        let request = try await bench.server.request(at: 1)
        call.cancel()
        #expect(list.snapshot.unreadCount == 3)
        #expect(list.snapshot.canMarkAllAsRead)
        #expect(list.snapshot.alarms.allSatisfy { !$0.isRead })
        try await bench.server.waitForDisconnect(of: request.connection)
        #expect(try await told.collect() == ["canceled"])
        #expect(try await list.readAll().unreadCount == 0)
    }

    @Test("an action that is cancelled while waiting is never sent")
    func cancelWaiting() async throws {
        let (bench, list) = try await Bench.loaded(3)
        bench.alarms.failActions(.stall)
        let stalled: Observer<AlarmActionResult> = list.markRead(3)
        let waiting: Observer<AlarmActionResult> = list.delete(2)
        let last: Observer<AlarmActionResult> = list.markRead(1)
        _ = try await bench.server.waitForRequests(2)
        waiting.cancel()
        #expect(sequences(list) == [3, 2, 1])
        stalled.cancel()
        _ = try await last.value
        #expect(bench.actions.map { $0["seq"] } == ["3", "1"])
        #expect(list.snapshot.alarms.map(\.isRead) == [false, false, true])
    }

    @Test("a refresh undoes neither running actions nor those confirmed during it")
    func refreshKeeps() async throws {
        let (bench, list) = try await Bench.loaded(3)
        // A response from before the actions, which arrives after them.
        let old = #"{"data":[{"seq":3},{"seq":2},{"seq":1}],"unread_count":3}"#
        let gate = LoopbackGate()
        bench.server.on(.get, "/api/v1/notifications") { _ in
            try await gate.wait()
            return .json(old)
        }
        let refresh: Observer<AlarmSnapshot> = list.refresh()
        _ = try await list.markRead(3)
        bench.alarms.failActions(.stall)
        let deletion: Observer<AlarmActionResult> = list.delete(2)
        gate.open()
        let snapshot = try await refresh.value
        #expect(snapshot.alarms.map(\.sequence) == [3, 1])
        #expect(snapshot.alarms.map(\.isRead) == [true, false])
        #expect(snapshot.unreadCount == 1)
        deletion.cancel()
        #expect(sequences(list) == [3, 2, 1])
        #expect(list.snapshot.unreadCount == 2)
    }

    @Test("readAll does not cover an alarm that arrived after the tap")
    func readAllBound() async throws {
        let (bench, list) = try await Bench.loaded(2)
        bench.alarms.failActions(.stall)
        let call: Observer<AlarmActionResult> = list.readAll()
        bench.alarms.insert()
        _ = try await list.refresh()
        #expect(list.snapshot.alarms.map(\.isRead) == [false, true, true])
        #expect(list.snapshot.unreadCount == 1)
        call.cancel()
        #expect(list.snapshot.unreadCount == 3)
    }

    @Test("the server's count wins, and never goes below zero")
    func count() async throws {
        let bench = try Bench()
        let list = bench.list()
        bench.alarms.failPages(.text(#"{"data":[{"seq":3},{"seq":2},{"seq":1}],"unread_count":1}"#))
        bench.alarms.failActions(.stall, .text(#"{"result":1,"affected":1,"unread_count":7}"#))
        try await list.refresh()
        let first: Observer<AlarmActionResult> = list.markRead(3)
        let second: Observer<AlarmActionResult> = list.delete(2)
        #expect(list.snapshot.unreadCount == 0)
        _ = try await bench.server.waitForRequests(2)
        first.cancel()
        _ = try await second.value
        #expect(list.snapshot.unreadCount == 7)
    }

    @Test("disabling a type stops its future alarms and keeps the old ones")
    func disable() async throws {
        let (bench, list) = try await Bench.loaded(2)
        _ = try await list.disable("F01", from: "u1")
        #expect(bench.alarms.insert(["type": "F01", "from_id": "u1"]) == nil)
        #expect(bench.alarms.insert(["type": "F01", "from_id": "u2"]) == 3)
        _ = try await list.disable("F01")
        #expect(bench.alarms.insert(["type": "F01", "from_id": "u2"]) == nil)
        #expect(try await list.refresh().alarms.map(\.sequence) == [3, 2, 1])
    }

    // MARK: - Observation

    @Test("bind reports each load and each change in order until it is cancelled, and nothing before the first load")
    func bind() async throws {
        let bench = try Bench(2)
        let list = bench.list()
        let (told, teller) = AsyncStream<AlarmSnapshot>.makeStream()
        let binding = list.bind { teller.yield($0) }
        try await list.refresh()
        try await list.refresh()
        try await list.delete(2)
        var seen: [AlarmSnapshot] = []
        for await snapshot in told {
            seen.append(snapshot)
            if snapshot.alarms.map(\.sequence) == [1] { break }
        }
        #expect(seen.map(\.alarms.count) == [2, 2, 1])
        #expect(seen.map(\.isRefreshing) == [false, false, false])
        let (later, second) = AsyncStream<Int>.makeStream()
        list.bind { second.yield($0.alarms.count) }
        var counts = later.makeAsyncIterator()
        #expect(await counts.next() == 1)
        binding.cancel()
        try await list.deleteAll()
        teller.finish()
        for await late in told { #expect(late.alarms.count == 1) }
    }

    @Test("the sequence of snapshots ends with the list")
    func snapshots() async throws {
        let bench = try Bench(2)
        var list: AlarmList<String>? = bench.list()
        let snapshots = try #require(list?.snapshots)
        try await list?.refresh()
        list = nil
        var last: AlarmSnapshot?
        for await snapshot in snapshots { last = snapshot }
        #expect(last?.alarms.count == 2)
    }

    @Test("an action of a released list is still sent if the user is known")
    func released() async throws {
        let bench = try Bench(2, partition: Partition("u-1"))
        try await {
            let list = try await bench.loaded()
            let call: Observer<AlarmActionResult> = list.markRead(2)
            withExtendedLifetime(call) {}
        }()
        _ = try await bench.server.waitForRequests(2)
        while bench.actions.isEmpty { await Task.yield() }
        #expect(bench.actions == [["action": "read", "seq": "2"]])
    }
}
