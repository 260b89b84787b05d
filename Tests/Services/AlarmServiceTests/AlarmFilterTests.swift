import PushServersMock
import TestSupport

@testable import AlarmService

@Suite("Visible alarms, the badge, and alarms that arrive by push", .timeLimit(.minutes(10)), .paced)
struct AlarmFilterTests {
    private func alarm(_ sequence: Int, _ type: AlarmType, isRead: Bool, _ message: String, nick: String = "") -> Alarm
    {
        var alarm = Alarm()
        alarm.sequence = sequence
        alarm.notificationType = type.rawValue
        alarm.isReading = isRead
        alarm.notificationMessage = message
        alarm.fromNickName = nick
        alarm.stationName = "Station \(sequence)"
        return alarm
    }

    private var alarms: [Alarm] {
        [
            alarm(4, "F01", isRead: false, "<Kim> is live", nick: "Kim"), alarm(3, "F02", isRead: true, "New post"),
            alarm(2, "F01", isRead: true, "시작합니다"), alarm(1, "F03", isRead: false, "100%"),
        ]
    }

    @Test(
        "a filter takes type, unread and words",
        arguments: [
            (AlarmFilter.all, [4, 3, 2, 1]), (AlarmFilter(types: ["F01"]), [4, 2]), (AlarmFilter(types: []), []),
            (AlarmFilter(isUnreadOnly: true), [4, 1]), (AlarmFilter(types: ["F01"], isUnreadOnly: true), [4]),
            (AlarmFilter(text: " LIVE kim "), [4]), (AlarmFilter(text: "<kim"), []), (AlarmFilter(text: "시작"), [2]),
            (AlarmFilter(text: "station 3"), [3]), (AlarmFilter(text: "%"), [1]),
            (AlarmFilter(text: " \n"), [4, 3, 2, 1]),
        ]
    )
    func filters(filter: AlarmFilter, sequences: [Int]) {
        #expect(filter.apply(to: alarms).map(\.sequence) == sequences)
    }

    @Test("a list's filter is part of what it shows, and hides nothing from the count")
    func visible() async throws {
        let bench = try Bench(3)
        let list = try await bench.loaded()
        var snapshots = list.snapshots.makeAsyncIterator()
        _ = await snapshots.next()
        try await list.markRead(2)
        list.filter = AlarmFilter(isUnreadOnly: true)
        while let snapshot = await snapshots.next(), snapshot.visible.count != 2 {}
        #expect(list.snapshot.visible.map(\.sequence) == [3, 1])
        #expect(list.snapshot.alarms.count == 3)
        #expect(list.snapshot.unreadCount == 2)
    }

    @Test("the badge is a value: none before the first load, nothing for 0, 99+ for many")
    func badge() async throws {
        let bench = try Bench(1)
        let list = bench.list()
        #expect(list.snapshot.badge == nil)
        try await list.refresh()
        #expect(list.snapshot.badge == AlarmBadge(1))
        #expect([-3, 0, 7, 99, 100].map { AlarmBadge($0).description } == ["", "", "7", "99", "99+"])
    }

    @Test(
        "a notification is read in every form: an object, JSON text, the payload itself",
        arguments: [
            ["aps": ["alert": "x", "badge": 4, "category": "live"], "data": ["seq": 9, "from_nick": "kim"]],
            ["aps": ["badge": "4", "category": "live"], "data": #"{"seq": "9", "from_nick": "kim"}"#],
            ["aps": ["badge": 1, "category": "live"], "seq": 9, "from_nick": "kim", "unread_count": 4],
        ] as [Json]
    )
    func push(payload: Json) {
        let push = AlarmPush(payload: payload)
        #expect(push.alarm?.sequence == 9)
        #expect(push.alarm?.fromNickName == "kim")
        #expect(push.category == "live")
        #expect(push.unreadCount == 4)
    }

    @Test("another notification has no alarm", arguments: [nil, [], [:], "x", ["data": "{"], ["seq": 0]] as [Json])
    func noAlarm(payload: Json) {
        #expect(AlarmPush(payload: payload).alarm == nil)
        #expect(AlarmPush(payload: payload).unreadCount == nil)
    }

    @Test("a pushed alarm appears at the top once, counts as unread, and the server's count wins")
    func received() async throws {
        let bench = try Bench(2)
        let list = bench.list()
        list.receive(AlarmPush(payload: ["seq": 7]))
        #expect(!list.snapshot.isLoaded)
        try await list.refresh()
        list.receive(AlarmPush(payload: ["seq": 7]))
        list.receive(AlarmPush(payload: ["seq": 7]))
        #expect(list.snapshot.alarms.map(\.sequence) == [7, 2, 1])
        #expect(list.snapshot.unreadCount == 3)
        list.receive(AlarmPush(payload: ["data": ["seq": 8], "aps": ["badge": 12]]))
        #expect(list.snapshot.alarms.first?.sequence == 8)
        #expect(list.snapshot.unreadCount == 12)
    }

    @Test("an opened alarm is reported once")
    func reported() async throws {
        let bench = try Bench(1)
        let (opened, report) = AsyncStream<Int>.makeStream()
        let list = AlarmList<String>(client: bench.client, onOpened: { report.yield($0.sequence) }) { $0 }
        try await list.refresh()
        _ = try await list.open(1).read.value
        #expect(throws: AlarmError.self) { try list.open(5) }
        report.finish()
        #expect(try await opened.collect() == [1])
    }

    @Test("a pushed alarm that was read on another device is not counted as unread", arguments: [false, true])
    func read(isRead: Bool) {
        let push = AlarmPush(payload: ["data": ["seq": 7, "is_read": Json(isRead)]])
        #expect(push.alarm?.isReading == isRead)
        var state = AlarmListState()
        state.refresh(AlarmPage(alarms: [], skipped: 0, hasMore: false, nextBefore: nil, unreadCount: nil))
        state.receive(push)
        #expect(state.snapshot.alarms.map(\.sequence) == [7])
        #expect(state.snapshot.unreadCount == (isRead ? 0 : 1))
    }
}
