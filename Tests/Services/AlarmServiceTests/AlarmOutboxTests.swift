import AlarmService
import CoreNetKitOutbox
import FileModel
import PushServersMock
import TestSupport

@Suite("Alarms without a network", .timeLimit(.minutes(10)), .paced)
struct AlarmOutboxTests {
    // MARK: - Actions

    @Test("an action without a network is no failure: it is shown, survives the process, is shown again and then sent")
    func restart() async throws {
        let phone = AlarmPhone(3)
        do {
            let app = phone.launch()
            let list = try await app.loaded()
            phone.isOnline = false
            let read: Observer<AlarmActionResult> = list.markRead(2)
            let delete: Observer<AlarmActionResult> = list.delete(3)
            await app.waiting(2)
            await app.deliver()
            #expect(list.snapshot.alarms.map(\.sequence) == [2, 1])
            #expect(list.snapshot.unreadCount == 1)
            withExtendedLifetime((read, delete)) {}
        }
        let app = phone.launch()
        let list = app.list()
        #expect(await alarmFailure { try await list.refresh() as AlarmSnapshot }?.code == .unavailable)
        // The last page, and on top what was tapped.
        #expect(list.snapshot.isLoaded && list.snapshot.isFromCache)
        #expect(list.snapshot.alarms.map(\.sequence) == [2, 1])
        #expect(list.snapshot.alarms.map(\.isReading) == [true, false])
        #expect(list.snapshot.unreadCount == 1)
        phone.isOnline = true
        try await list.refresh()
        #expect(list.snapshot.alarms.map(\.sequence) == [2, 1] && !list.snapshot.isFromCache)
        await app.deliver()
        #expect(phone.actions == ["alice read 2", "alice delete 3"])
        try await list.refresh()
        #expect(list.snapshot.alarms.map(\.isReading) == [true, false])
        #expect(list.snapshot.unreadCount == phone.alarms.unreadCount)
    }

    @Test("a user's taps wait while another one is signed in, and are sent only as the first user's")
    func users() async throws {
        let (phone, app, list) = try await AlarmPhone.launched(3)
        phone.isOnline = false
        let tap: Observer<AlarmActionResult> = list.markRead(3)
        await app.waiting(1)
        list.close()
        await #expect(throws: CancellationError.self) { try await tap.value }
        phone.user = "bob"
        phone.isOnline = true
        // Whoever is signed in when it is stored: a list belongs to its user.
        let bobs = app.list()
        try await bobs.refresh()
        #expect(bobs.snapshot.alarms.allSatisfy { !$0.isReading })
        let other: Observer<AlarmActionResult> = bobs.markRead(1)
        await app.waiting(2)
        await app.deliver()
        _ = try await other.value
        #expect(phone.actions == ["bob read 1"])
        #expect(await app.outbox.state.waiting == 1)
        phone.user = "alice"
        let next = phone.launch()
        await next.deliver()
        #expect(phone.actions == ["bob read 1", "alice read 3"])
    }

    @Test("an action stored after another user signed in still belongs to the list's user")
    func lateAction() async throws {
        let (phone, app, list) = try await AlarmPhone.launched(2)
        phone.user = "bob"
        let tap: Observer<AlarmActionResult> = list.deleteAll()
        await app.waiting(1)
        await app.deliver()
        #expect(phone.actions.isEmpty)
        phone.user = "alice"
        await app.deliver()
        _ = try await tap.value
        #expect(phone.actions == ["alice delete_all "])
    }

    @Test(
        "an unsent tap on delete all is given up after an hour, and sent before that",
        arguments: [(3599, true), (3600, false), (10 * 86_400, false)]
    )
    func givenUp(seconds: Int, isSent: Bool) async throws {
        let (phone, app, list) = try await AlarmPhone.launched(2)
        let tap: Observer<AlarmActionResult> = list.deleteAll()
        await app.waiting(1)
        let later = phone.launch(at: .seconds(seconds))
        await later.deliver()
        #expect(phone.actions == (isSent ? ["alice delete_all "] : []))
        #expect(await later.outbox.state.waiting == 0)
        tap.cancel()
    }

    @Test("what the server refuses is taken back, its caller is told why, and nothing of it remains")
    func refused() async throws {
        let (phone, app, list) = try await AlarmPhone.launched(2)
        phone.alarms.failActions(.status(409, code: "stale"))
        let tap: Observer<AlarmActionResult> = list.markRead(2)
        #expect(list.snapshot.unreadCount == 1)
        await app.waiting(1)
        await app.deliver()
        #expect(await alarmFailure { try await tap.value }?.code == .stale)
        #expect(list.snapshot.unreadCount == 2)
        #expect(await app.outbox.deadLetters.all.isEmpty)
    }

    @Test("an action cancelled while it waits is never sent")
    func cancelled() async throws {
        let (phone, app, list) = try await AlarmPhone.launched(2)
        phone.isOnline = false
        let tap: Observer<AlarmActionResult> = list.delete(2)
        await app.waiting(1)
        tap.cancel()
        #expect(list.snapshot.alarms.count == 2)
        for await state in app.outbox.changes where state.waiting == 0 { break }
        phone.isOnline = true
        await app.deliver()
        #expect(phone.actions.isEmpty)
    }

    @Test("taps reach the server in order, and a repeated tap is sent once", arguments: [1, 2, 3])
    func order(_ seed: UInt64) async throws {
        let (phone, app, list) = try await AlarmPhone.launched(6)
        phone.isOnline = false
        var numbers = SplitMix64(seed: seed)
        let order = Array(1...6).shuffled(using: &numbers)
        var taps: [Observer<AlarmActionResult>] = []
        for sequence in order { taps.append(list.markRead(sequence)) }
        taps.append(list.markRead(order[0]))
        await app.waiting(6)
        phone.isOnline = true
        await app.deliver()
        for tap in taps { _ = try await tap.value }
        #expect(phone.actions == order.map { "alice read \($0)" })
        #expect(list.snapshot.unreadCount == 0)
    }

    @Test(
        "\"all\" of hours ago does not cover what was shown since, even in the next process",
        arguments: [true, false]
    )
    func allOfNow(isSameProcess: Bool) async throws {
        let phone = AlarmPhone(2)
        var app = phone.launch()
        var list = try await app.loaded()
        phone.isOnline = false
        var calls: [Observer<AlarmActionResult>] = [list.readAll()]
        await app.waiting(1)
        if !isSameProcess {
            app = phone.launch()
            list = app.list()
        }
        phone.isOnline = true
        try await list.refresh()
        phone.alarms.insert()
        try await list.refresh()
        #expect(list.snapshot.alarms.map(\.isRead) == [false, true, true])
        calls.append(list.readAll())
        calls.append(list.readAll())
        await app.waiting(2)
        await app.deliver()
        #expect(phone.actions == ["alice read_all ", "alice read_all "])
        #expect(list.snapshot.unreadCount == 0)
        withExtendedLifetime(calls) {}
    }

    @Test("\"all\" is not sent long after the tap: it would cover alarms that were never seen")
    func expiry() async throws {
        let (phone, app, list) = try await AlarmPhone.launched(1)
        phone.isOnline = false
        let all: Observer<AlarmActionResult> = list.deleteAll()
        let one: Observer<AlarmActionResult> = list.markRead(1)
        await app.waiting(2)
        let queue = await app.outbox.state.queues.first
        #expect(queue?.waiting == 2)
        let kind = "alarms http://127.0.0.1/api/v1 \(Partition("alice").name)"
        let waiting = try await app.outbox.waiting(kind, of: Partition("alice"))
        #expect(waiting.map { $0.entry.expires == nil } == [false, true])
        withExtendedLifetime((all, one)) {}
    }

    // MARK: - The last page

    @Test("the list shows its last page at once from the cache, and then the network's page")
    func lastPage() async throws {
        let phone = AlarmPhone(2)
        try await phone.launch().list().refresh()
        phone.alarms.insert(["type": "F02"])
        let list = phone.launch().list()
        var snapshots = list.snapshots.makeAsyncIterator()
        let load: Observer<AlarmSnapshot> = list.refresh()
        var seen: [[Int]] = []
        while let snapshot = await snapshots.next() {
            if snapshot.isFromCache { seen.append(snapshot.alarms.map(\.sequence)) }
            if snapshot.isLoaded, !snapshot.isFromCache { break }
        }
        // A slow reader may have missed the first one; it never sees another.
        #expect(seen.allSatisfy { $0 == [2, 1] })
        #expect(try await load.value.alarms.map(\.sequence) == [3, 2, 1])
        #expect(list.snapshot.unreadCount == 3)
    }

    @Test("another user's last page is never shown")
    func otherUser() async throws {
        let phone = AlarmPhone(2)
        try await phone.launch().list().refresh()
        phone.isOnline = false
        let alices = phone.launch().list()
        phone.user = "bob"
        await #expect(throws: AlarmError.self) { try await phone.launch().list().refresh() as AlarmSnapshot }
        #expect(await alarmFailure { try await alices.refresh() as AlarmSnapshot }?.code == .sessionEnded)
        #expect(!alices.snapshot.isLoaded)
    }

    @Test("after an action, a fresh cached page does not replace the server's response")
    func freshPage() async throws {
        let (phone, _, list) = try await AlarmPhone.launched(2)
        let before = phone.alarms.exchanges.count
        try await list.refresh()
        #expect(phone.alarms.exchanges.count == before + 1)
    }
}

@Suite("Taps on alarms that version 0.2 has stored", .timeLimit(.minutes(10)), .paced)
struct EarlierFolderTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture("alarms") }

    @Test("are shown, sent in their order, and followed by new ones")
    func continues() async throws {
        let phone = AlarmPhone(4)
        let files = ModelFiles()
        try files.makeFolder("/box")
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) {
            try files.replace("/box/\(name)", with: Array(fixture.data(name)), draft: "draft")
        }
        phone.files = files
        let app = phone.launch(at: .seconds(60))
        let list = try await app.loaded()
        #expect(list.snapshot.alarms.map(\.sequence) == [4, 2, 1])
        #expect(list.snapshot.alarms.map(\.isReading) == [false, true, false])
        let tap: Observer<AlarmActionResult> = list.markRead(1)
        await app.waiting(3)
        await app.deliver()
        _ = try await tap.value
        #expect(phone.actions == ["alice read 2", "alice delete 3", "alice read 1"])
        #expect(await app.outbox.state.waiting == 0)
    }
}
