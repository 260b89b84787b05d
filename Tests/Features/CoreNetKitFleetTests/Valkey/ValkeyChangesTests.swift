import TestSupport

@testable import CoreNetKitFleet

@Suite("Changes reported by a server", .timeLimit(.minutes(10)), .paced)
struct ValkeyChangesTests {
    private let clock = ManualClock()
    private let server = PlayedServer(Self.tracks)
    private let store: ValkeyStore
    private let key = SharedKey(kind: "test", "one")

    init() { store = server.store(clock: clock) }

    /// The changes after the first one, which says that they are reported.
    private func changes(of kind: String = "test") async -> AsyncStream<SharedChange>.Iterator {
        var changes = store.changes(of: kind).makeAsyncIterator()
        #expect(await changes.next() == .all)
        return changes
    }

    private func push(_ keys: [String]) -> String {
        let items = keys.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        return ">2\r\n$10\r\ninvalidate\r\n*\(keys.count)\r\n\(items)"
    }

    private static let tracks: PlayedServer.Play = { $0.prefix(2) == ["CLIENT", "TRACKING"] ? "+OK\r\n" : nil }

    @Test("start when they were requested, and concern only values")
    func told() async {
        var changes = await changes()
        #expect(server.commands.last == ["CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "{cnk:test:"])
        let other = SharedKey(kind: "other", "one")
        server.say(push([key.text + "l", key.text + "n", other.text + "v", "unknown", key.text + "v"]))
        #expect(await changes.next() == .key(key))
    }

    @Test("are requested once per kind; a later reader is told that anything may have changed")
    func once() async {
        for kind in ["test", "test", "other"] { _ = await changes(of: kind) }
        #expect(server.commands.count == 3)
    }

    @Test("are all, if the server says that everything has changed")
    func flushed() async {
        var changes = await changes()
        server.say(">2\r\n$10\r\ninvalidate\r\n_\r\n")
        #expect(await changes.next() == .all)
        // Pushes of other kinds are none.
        server.say(">1\r\n+hello\r\n")
        server.say(push([key.text + "v"]))
        #expect(await changes.next() == .key(key))
    }

    @Test("continue over a new connection without a call, after a notice that some may have been missed")
    func reconnects() async throws {
        var changes = await changes()
        for round in 1...3 {
            server.end()
            // Somebody sleeps until the silence of the connection that was lost; the next one is made long before.
            await until { clock.sleepers.first.map { $0 <= clock.now.advanced(by: .milliseconds(50)) } == true }
            try await clock.advanceToNextSleeper()
            #expect(await changes.next() == .all)
            #expect(server.connections == round + 1)
            server.say(push([key.text + "v"]))
            #expect(await changes.next() == .key(key))
        }
    }

    @Test("are not said to have been missed because somebody else begins to listen")
    func another() async {
        var first = await changes()
        var second = await changes()
        server.say(push([key.text + "v"]))
        #expect(await first.next() == .key(key))
        #expect(await second.next() == .key(key))
    }

    @Test("are reported to a second reader when the server says so, not because the first one has asked for them")
    func asked() async {
        server.play { $0.first == "CLIENT" ? "" : nil }
        var first = store.changes(of: "test").makeAsyncIterator()
        await server.heard.wait(2)
        var second = store.changes(of: "test").makeAsyncIterator()
        server.say("+OK\r\n")
        #expect(await first.next() == .all)
        server.say(push([key.text + "v"]))
        #expect(await first.next() == .key(key))
        #expect(await second.next() == .all)
        #expect(await second.next() == .key(key))
        #expect(server.commands.count == 2)
    }

    @Test("are requested before the calls that waited for the connection: what they find is not older than the notice")
    func first() async throws {
        server.play { command in
            switch command.first {
            case "HELLO": ""
            case "HMGET": "*2\r\n_\r\n_\r\n"
            default: Self.tracks(command)
            }
        }
        var changes = store.changes(of: "test").makeAsyncIterator()
        await server.heard.wait(1)
        let read = Task { [key] in try await store.read(key) }
        await until { clock.sleepers.contains { $0 <= clock.now.advanced(by: .milliseconds(20)) } }
        server.say(PlayedServer.handshake())
        #expect(try await read.value == nil)
        #expect(await changes.next() == .all)
        #expect(server.commands.map(\.first) == ["HELLO", "CLIENT", "HMGET"])
    }

    @Test("and replies are signs of life: a server is asked for one only after half a second without any")
    func quiet() async throws {
        server.play { command in
            switch command.first {
            case "HMGET": "*2\r\n_\r\n_\r\n"
            case "PING": "+PONG\r\n"
            default: Self.tracks(command)
            }
        }
        let changes = await changes()
        let half = ManualClock.Instant(offset: .milliseconds(500))
        await until { clock.sleepers.contains(half) }
        clock.advance(by: .milliseconds(300))
        #expect(try await store.read(key) == nil)
        clock.advance(to: half)
        for _ in 0..<1000 { await Task.yield() }
        #expect(!server.commands.contains(["PING"]))
        await clock.advance { server.commands.contains(["PING"]) }
        #expect(clock.now.offset >= .milliseconds(800))
        _ = changes
    }

    @Test("are missed without a word when a server dies: it is asked in a silence, and another connection is made")
    func silence() async throws {
        server.play { command in command == ["PING"] ? "" : Self.tracks(command) }
        var changes = await changes()
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        await server.heard.wait(3)
        #expect(server.commands.last == ["PING"])
        await clock.advance { server.connections > 1 }
        #expect(clock.now.offset <= .seconds(3))
        #expect(await changes.next() == .all)
    }

    @Test("are watched for a silence by a reader, too, that comes when there has been none for a while")
    func silenceAfterPause() async throws {
        do { _ = await changes() }
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        // Whoever stops at a pause without readers does not sleep again.
        try await clock.waitForSleepers(1)
        #expect(server.commands.count == 2)
        let changes = await changes()
        clock.advance(by: .milliseconds(500))
        await server.heard.wait(3)
        #expect(server.commands.last == ["PING"])
        _ = changes
    }

    @Test("are asked for again where the server was too busy to say that it reports them")
    func busy() async {
        let isBusy = Locked(true)
        server.play { command in
            guard command.prefix(2) == ["CLIENT", "TRACKING"] else { return nil }
            defer { isBusy.withLock { $0 = false } }
            return isBusy.withLock { $0 } ? "-BUSY Redis is busy running a script\r\n" : "+OK\r\n"
        }
        let isTold = Locked(false)
        let reader = Task {
            var changes = store.changes(of: "test").makeAsyncIterator()
            let change = await changes.next()
            isTold.withLock { $0 = true }
            return change
        }
        // A connection whose handshake takes longer than this clock's seconds is given up, too.
        await clock.advance { isTold.withLock { $0 } }
        #expect(await reader.value == .all)
        #expect(!isBusy.withLock { $0 })
    }

    @Test("are retried with longer and longer pauses while there is no server")
    func backsOff() async throws {
        server.refuse(SharedStoreError(.unreachable, "gone"))
        var changes = store.changes(of: "test").makeAsyncIterator()
        await server.tried.wait(1)
        for count in 2...12 {
            let before = clock.now
            try await clock.advanceToNextSleeper()
            await server.tried.wait(count)
            let window = Duration.milliseconds(50).doubled(count - 1, upTo: .seconds(1))
            #expect(clock.now.offset - before.offset <= window)
            #expect(clock.now.offset - before.offset >= window / 2)
        }
        server.refuse(nil)
        try await clock.advanceToNextSleeper()
        #expect(await changes.next() == .all)
    }

    @Test("end if the server's user may not receive them, and when the store is released")
    func ends() async {
        let server = PlayedServer { $0.prefix(2) == ["CLIENT", "TRACKING"] ? "-NOPERM no\r\n" : nil }
        var store: ValkeyStore? = server.store(clock: clock)
        guard let refused = store?.changes(of: "test") else { return }
        for await change in refused { Issue.record("\(change)") }
        server.play(Self.tracks)
        guard let changes = store?.changes(of: "other") else { return }
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .all)
        store = nil
        #expect(await iterator.next() == nil)
    }
}
