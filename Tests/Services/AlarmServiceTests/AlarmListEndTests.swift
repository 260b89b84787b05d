import AlarmService
import PushServersMock
import TestSupport

@Suite("A list's calls end once", .timeLimit(.minutes(10)), .paced)
struct AlarmListEndTests {
    enum ListCall: CaseIterable, Sendable {
        case refresh, loadMore, failedRefresh, givenUpPage, action, failedAction
    }

    @Test("an ended call stays silent when it is cancelled later", arguments: ListCall.allCases)
    func endsOnce(kind: ListCall) async throws {
        let (bench, list) = try await Bench.loaded(5, pageSize: 2)
        let events: [String]
        switch kind {
        case .refresh: events = await ObserverRecorder.events(afterEndOf: list.refresh())
        case .loadMore: events = await ObserverRecorder.events(afterEndOf: list.loadMore())
        case .failedRefresh:
            bench.alarms.failPages(.status(500))
            events = await ObserverRecorder.events(afterEndOf: list.refresh())
        case .givenUpPage:
            bench.alarms.failPages(.stall)
            let page: Observer<AlarmSnapshot> = list.loadMore()
            let refresh: Observer<AlarmSnapshot> = list.refresh()
            events = await ObserverRecorder.events(afterEndOf: page)
            refresh.cancel()
        case .action: events = await ObserverRecorder.events(afterEndOf: list.markRead(5))
        case .failedAction:
            bench.alarms.failActions(.status(500))
            events = await ObserverRecorder.events(afterEndOf: list.markRead(5))
        }
        let isFailure = kind == .failedRefresh || kind == .failedAction
        #expect(events.count == 2 && events.last == "defer")
        #expect(events[0].hasPrefix("unavailable") == isFailure)
    }
}

@Suite("A closed list of alarms", .timeLimit(.minutes(10)), .paced)
struct AlarmCloseTests {
    @Test("tells callers that wait for a page, be it the first or an older one", arguments: [true, false])
    func page(isFirst: Bool) async throws {
        let bench = try Bench(4)
        let list = bench.list(pageSize: 2)
        if !isFirst { try await list.refresh() }
        bench.alarms.failPages(.stall)
        let load: Observer<AlarmSnapshot> = isFirst ? list.refresh() : list.loadMore()
        let request = try await bench.server.request(at: isFirst ? 0 : 1)
        list.close()
        await #expect(throws: CancellationError.self) { try await load.value }
        try await bench.server.waitForDisconnect(of: request.connection)
    }
}

@Suite("\"All\" alarms means those that were shown", .timeLimit(.minutes(10)), .paced)
struct AlarmAllTests {
    @Test(
        "\"all\" twice is one action for the same alarms, and a second one once a new alarm is shown",
        arguments: ["read_all", "delete_all"]
    )
    func allTwice(name: String) async throws {
        let bench = try Bench(2)
        let list = bench.list()
        let act = { () -> Observer<AlarmActionResult> in name == "read_all" ? list.readAll() : list.deleteAll() }
        try await list.refresh()
        bench.alarms.failActions(.stall)
        let first = act()
        #expect(act() === first)
        bench.alarms.insert()
        _ = try await list.refresh()
        let second = act()
        #expect(second !== first)
        #expect(act() === second)
        _ = try await bench.server.waitForRequests(3)
        first.cancel()
        _ = try await second.value
        #expect(bench.actions.map { $0["action"] } == [name, name])
        #expect(list.snapshot.unreadCount == 0)
    }

    @Test("\"all\" of an empty list does not hide later alarms")
    func allOfNothing() async throws {
        let (bench, list) = try await Bench.loaded()
        bench.alarms.failActions(.stall)
        let call: Observer<AlarmActionResult> = list.deleteAll()
        bench.alarms.insert()
        _ = try await list.refresh()
        #expect(list.snapshot.alarms.map(\.sequence) == [1])
        call.cancel()
    }
}
