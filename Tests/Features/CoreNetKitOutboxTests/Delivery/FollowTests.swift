import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("Requests that follow others", .timeLimit(.minutes(10)), .paced)
struct FollowTests {
    private var (files, time, outbox) = Outbox.onModel()
    private let server = TestServer()

    private func refusing(_ body: String, with status: Int = 422) -> TestServer {
        TestServer { request, _ in .status(request.body == body ? status : 200) }
    }

    @Test("a follower is sent after its predecessor was delivered, whatever their queues, even after a restart")
    func follows() async throws {
        let server = TestServer { request, count in request.body == "first" && count < 4 ? .status(503) : .status(200) }
        let first = try await outbox.put("first", in: "a")
        let second = try await outbox.put("second", in: "b", when: [.after(first.id)])
        try await outbox.put("third", in: "c", when: [.after(first.id), .after(second.id)])
        #expect(await outbox.state.queues.last?.pause?.hasPrefix("waits for the entry") == true)
        let again = Outbox.test(files.afterKill(), time: time)
        try await again.drain(to: server)
        #expect(server.bodies.suffix(3) == ["first", "second", "third"])
        #expect(server.effects == ["first": 1, "second": 1, "third": 1])
    }

    @Test("while the first is dead or in doubt the other waits and says so; retried, both go", arguments: [422, 500])
    func letter(status: Int) async throws {
        let server = TestServer { request, count in .status(request.body == "first" && count == 1 ? status : 200) }
        let first = try await outbox.put("first", in: "a", repetition: .byMethod)
        try await outbox.put("second", in: "b", when: [.after(first.id)])
        #expect(try await outbox.drain(to: server) == ["first"])
        let pause = try #require(await outbox.state.queues.first?.pause)
        #expect(pause.contains(status == 422 ? "dead" : "in doubt") && pause.contains(first.id.uuidString))
        try await outbox.deadLetters.retry(first.id)
        #expect(try await outbox.drain(to: server) == ["first", "first", "second"])
    }

    @Test("if the first one is given up, the other becomes a dead letter itself, and can still be sent")
    func givenUp() async throws {
        let server = refusing("first")
        let first = try await outbox.put("first", in: "a")
        let second = try await outbox.put("second", in: "b", when: [.after(first.id)])
        let third = try await outbox.put("third", in: "c", when: [.after(second.id)])
        try await outbox.drain(to: server)
        try await outbox.deadLetters.discard(first.id)
        #expect(await outbox.deadLetters.all.map(\.state) == [.dead(EntryIndex.lostPredecessor)])
        await #expect(throws: OutboxError.self) { try await second.delivery() }
        #expect(try await outbox.drain(to: server) == ["first"])
        try await outbox.deadLetters.retry(second.id)
        #expect(try await outbox.drain(to: server) == ["first", "second", "third"])
        #expect(try await third.delivery().response.status == 200)
    }

    @Test("a cancellation, an expiry and a full outbox are such ends", arguments: ["cancelled", "expired", "dropped"])
    func ends(how: String) async throws {
        let outbox = Outbox.test(files, time: time) { options in
            options.overflow = .dropOldest
            options.limits.entries = 2
        }
        let first = try await outbox.put("first", in: "a", expires: .seconds(60))
        try await outbox.put("second", in: "b", when: [.after(first.id)])
        switch how {
        case "cancelled": #expect(try await outbox.cancel(first.id) == .cancelled)
        case "expired": time.advance(by: .seconds(61))
        default: try await outbox.put("other", in: "a")
        }
        #expect(try await outbox.drain(to: server) == (how == "dropped" ? ["other"] : []))
        #expect(await outbox.deadLetters.all.map(\.state) == [.dead(EntryIndex.lostPredecessor)])
    }

    @Test("a process that ends before it has recorded that leaves no follower without a predecessor")
    func killedBetween() throws {
        var index = EntryIndex()
        func entry(_ number: UInt64, _ conditions: [OutboxCondition] = []) throws -> UUID {
            var head = EntryHead.test(queue: "\(number)")
            head.conditions = conditions
            index.apply(LogRecord(kind: .entry, number: number, payload: try head.encoded(body: [])))
            return head.id
        }
        let first = try entry(1)
        let second = try entry(2, [.after(first)])
        index.apply(LogRecord(kind: .cancelled, number: 1))
        #expect(index[second]?.state == .dead(EntryIndex.lostPredecessor))
        index.apply(LogRecord(kind: .revived, number: 2, payload: EntryMark(attempts: 0).payload))
        #expect(index[second]?.state == .waiting)
    }

    @Test("what replaces a draft or a dead letter is followed instead, across rewriting and restarts")
    func standsIn() async throws {
        let server = refusing("draft 3")
        var outbox = Outbox.test(files, time: time)
        let first = try await outbox.put("draft 1", in: "a", merging: "draft")
        try await outbox.put("second", in: "b", when: [.after(first.id)])
        try await outbox.put("draft 2", in: "a", merging: "draft")
        let last = try await outbox.put("draft 3", in: "a", merging: "draft")
        try await outbox.put("third", in: "c", when: [.after(first.id)])
        try await outbox.engine.compact()
        let copy = files.afterKill()
        outbox = Outbox.test(copy, time: time)
        #expect(try await outbox.drain(to: server) == ["draft 3"])
        try await outbox.deadLetters.retry(last.id) { $0.body = .bytes(Data("right".utf8)) }
        try await outbox.engine.compact()
        outbox = Outbox.test(copy.afterKill(), time: time)
        #expect(try await outbox.drain(to: server) == ["draft 3", "right", "second", "third"])
    }

    @Test("a request that would wait for itself is refused: by name, or behind itself in a queue")
    func cycles() async throws {
        let first = try await outbox.put("draft", in: "a", merging: "draft")
        let second = try await outbox.put("second", in: "b", when: [.after(first.id)])
        let behind = try await outbox.put("behind", in: "a")
        let behindSecond = try await outbox.put("behind second", in: "b")
        for id in [first.id, second.id, behind.id, behindSecond.id] {
            let code = await code { try await outbox.put("draft 2", in: "a", merging: "draft", when: [.after(id)]) }
            #expect(code == .invalidOption)
        }
        // The draft is unchanged, and a follower of another one is no cycle.
        let other = try await outbox.put("other", in: "c")
        try await outbox.put("draft 3", in: "a", merging: "draft", when: [.after(other.id)])
        try await outbox.drain(to: server)
        #expect(server.effects.count == 5 && server.effects["draft 3"] == 1)
    }

    @Test("a delivered predecessor's id is satisfied at once; one that was given up, or never existed, is refused")
    func past() async throws {
        let delivered = try await outbox.put("delivered")
        try await outbox.drain(to: server)
        let cancelled = try await outbox.put("cancelled")
        try await outbox.cancel(cancelled.id)
        #expect(await code { try await outbox.put("a", when: [.after(cancelled.id)]) } == .notDelivered)
        #expect(await code { try await outbox.put("a", when: [.after(UUID())]) } == .notFound)
        try await outbox.put("b", when: [.after(delivered.id)])
        #expect(try await outbox.drain(to: server) == ["delivered", "b"])
    }

    @Test("another process's request follows too; its predecessor may be given up meanwhile", arguments: [false, true])
    func otherProcess(isCancelled: Bool) async throws {
        let first = try await outbox.put("first", in: "a")
        let other = Outbox.test(files, time: time)
        try await other.put("second", in: "b", when: [.after(first.id)])
        if isCancelled { try await outbox.cancel(first.id) }
        #expect(try await outbox.drain(to: server) == (isCancelled ? [] : ["first", "second"]))
        #expect(await outbox.deadLetters.all.count == (isCancelled ? 1 : 0))
    }

    @Test("a sign-out removes followers with their predecessors, and leaves no dead letters")
    func signOut() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        let first = try await outbox.put("first", in: "a")
        try await outbox.put("second", in: "b", when: [.after(first.id)])
        try await outbox.removeAll(owner: "alice")
        #expect(await outbox.state.reports.isEmpty)
        #expect(await outbox.deadLetters.all.isEmpty)
    }

    @Test("only the latest ends are remembered")
    func recent() {
        var ends = RecentEnds()
        let ids = (0..<5000).map { _ in UUID() }
        for id in ids { ends.note(id, .cancelled) }
        #expect(ids.suffix(1024).allSatisfy { ends[$0] == .cancelled })
        #expect(ids.count { ends[$0] != nil } < 2048)
    }
}

@Suite("Network conditions", .timeLimit(.minutes(10)), .paced)
struct SourceTests {
    private let files = ModelFiles()
    private let time = TestTime()
    private let server = TestServer()

    private func outbox(_ source: (any OutboxConditionSource)?) -> Outbox {
        Outbox.test(files, time: time) { $0.conditions = source }
    }

    @Test("a request waits for its condition, as does its queue behind it, and the state names the condition")
    func waits() async throws {
        let conditions = ManualConditions([.connected])
        let outbox = outbox(conditions)
        try await outbox.put("photo", in: "album", when: [.unmetered, .connected])
        try await outbox.put("second photo", in: "album")
        try await outbox.put("text", in: "chat", when: [.connected])
        #expect(try await outbox.drain(to: server) == ["text"])
        #expect(await outbox.state.queues.map(\.pause) == ["waits for unmetered"])
        conditions.set(.unmetered, true)
        #expect(try await outbox.drain(to: server) == ["text", "photo", "second photo"])
    }

    @Test("a condition that comes true is acted on at once by a running delivery")
    func wakes() async throws {
        let conditions = ManualConditions()
        let outbox = outbox(conditions)
        let receipt = try await outbox.put("photo", when: [.unmetered])
        let run = Task { [server] in
            try await outbox.deliver(until: nil, stopsWhenDone: false) { try await server.send($0) }
        }
        conditions.set(.unmetered, true)
        #expect(try await receipt.delivery().response.status == 201)
        conditions.set(.unmetered, false)
        run.cancel()
        try await run.value
    }

    @Test("an unknown condition is refused, and nothing is stored; a connection can always be tried")
    func refused() async throws {
        for source in [nil, ManualConditions(known: [.connected])] {
            let outbox = Outbox.test(files, time: time) { $0.conditions = source }
            let error = await #expect(throws: OutboxError.self) { try await outbox.put("a", when: [.unmetered]) }
            #expect(error?.code == .unknownCondition)
            #expect(error?.message.contains("unmetered") == true)
            #expect(await outbox.state.waiting == 0)
            await outbox.suspend()
        }
        let outbox = outbox(nil)
        try await outbox.put("a", when: [.connected])
        #expect(try await outbox.drain(to: server) == ["a"])
    }

    @Test("names are checked", arguments: ["", "two words", "line\n", String(repeating: "x", count: 256)])
    func names(name: String) async throws {
        let outbox = outbox(ManualConditions(known: [.named(name)]))
        #expect(await code { try await outbox.put("a", when: [.named(name)]) } == .invalidOption)
    }

    @Test("a condition outlives the process; if it is no longer reported it waits, and the state says so")
    func restart() async throws {
        let outbox = outbox(ManualConditions(known: [.named("charging")]))
        try await outbox.put("a", when: [.named("charging")])
        let second = Outbox.test(files.afterKill(), time: time)
        try await second.drain(to: server)
        #expect(server.requests.isEmpty)
        #expect(await second.state.queues.map(\.pause) == ["waits for charging, of which nobody here tells"])
        let third = Outbox.test(files.afterKill(), time: time) { options in
            options.conditions = ManualConditions([.named("charging")], known: [.named("charging")])
        }
        #expect(try await third.drain(to: server) == ["a"])
    }

    @Test("a request expires while it waits for a condition")
    func expires() async throws {
        let outbox = outbox(ManualConditions())
        let receipt = try await outbox.put("a", expires: .seconds(60), when: [.unmetered])
        time.advance(by: .seconds(61))
        try await outbox.drain(to: server)
        #expect(server.requests.isEmpty)
        #expect(await outbox.state.reports == [.expired(receipt.id)])
    }

    @Test("a source that ends without a value says that nothing holds; its last value stays", arguments: [false, true])
    func ends(speaks: Bool) async throws {
        struct Source: OutboxConditionSource {
            let speaks: Bool
            let known: Set<OutboxCondition> = [.unmetered]
            func holding() -> AsyncStream<Set<OutboxCondition>> {
                AsyncStream { continuation in
                    if speaks { continuation.yield([.unmetered]) }
                    continuation.finish()
                }
            }
        }
        let outbox = outbox(Source(speaks: speaks))
        try await outbox.put("a", when: [.unmetered])
        try await outbox.drain(to: server)
        #expect(server.requests.count == (speaks ? 1 : 0))
    }

    @Test("a stream of conditions begins with the current ones, and skips unread ones")
    func stream() async {
        let conditions = ManualConditions([.connected])
        var stream = conditions.holding().makeAsyncIterator()
        #expect(await stream.next() == [.connected])
        conditions.set(.unmetered, true)
        conditions.set(.connected, false)
        #expect(await stream.next() == [.unmetered])
    }
}
