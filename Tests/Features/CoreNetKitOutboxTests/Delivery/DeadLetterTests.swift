import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("Changed dead letters", .timeLimit(.minutes(10)), .paced)
struct DeadLetterTests {
    private var (files, time, outbox) = Outbox.onModel()

    private static func fill(_ text: String) -> @Sendable (inout OutboxRequest) -> Void {
        { $0.body = .bytes(Data(text.utf8)) }
    }

    @Test("a changed request goes to the old position, with a new key and id, even after a restart")
    func changed() async throws {
        let server = TestServer { request, _ in .status(request.body == "wrong" ? 422 : 200) }
        let outbox = Outbox.test(files, time: time) { $0.afterFailure = .block }
        let first = try await outbox.put("wrong", in: "q")
        try await outbox.put("later", in: "q")
        #expect(try await outbox.drain(to: server) == ["wrong"])
        let second = try await outbox.deadLetters.retry(first.id, changing: Self.fill("right"))
        #expect(second.id != first.id)
        #expect(second.key != nil && second.key != first.key)
        #expect(await outbox.deadLetters.all.isEmpty)
        let again = Outbox.test(files.afterKill(), time: time) { $0.afterFailure = .block }
        #expect(await again.deadLetters.all.isEmpty)
        #expect(try await again.drain(to: server) == ["wrong", "right", "later"])
        #expect(server.requests[1].id == second.id)
        #expect(server.requests[1].key == second.key)
    }

    @Test("a key set by the app is kept, and everything unchanged stays: method, fields, owner, queue, expiry")
    func kept() async throws {
        let server = TestServer { _, count in .status(count == 1 ? 400 : 200) }
        let outbox = Outbox.test(files, time: time, owner: "alice")
        let first = try await outbox.put("a", in: "q", method: .put, expires: .seconds(500))
        let before = try #require(await outbox.waitingEntry(first.id))
        try await outbox.drain(to: server)
        let second = try await outbox.deadLetters.retry(first.id) { request in
            #expect(request.headers["Idempotency-Key"] == nil)
            #expect(request.headers["Content-Type"] == "text/plain")
            request.headers["Idempotency-Key"] = "own"
            request.url = testURL.appendingPathComponent("2")
        }
        #expect(second.key == "own")
        let after = try #require(await outbox.waitingEntry(second.id))
        #expect(after.queue == before.queue && after.owner == before.owner && after.kind == before.kind)
        #expect(after.made == before.made && after.expires == before.expires)
        try await outbox.drain(to: server)
        #expect(server.requests.map(\.method) == ["PUT", "PUT"])
        #expect(server.bodies == ["a", "a"])
        #expect(server.requests.last?.url == "https://api.example.com/orders/2")
    }

    @Test("a change that cannot be stored changes nothing: the dead letter stays as it is")
    func refused() async throws {
        struct TestError: Error {}
        let server = TestServer { _, _ in .status(400) }
        let receipt = try await outbox.put("a", in: "q")
        try await outbox.drain(to: server)
        let letters = outbox.deadLetters
        await #expect(throws: TestError.self) { try await letters.retry(receipt.id) { _ in throw TestError() } }
        let secret = await code { try await letters.retry(receipt.id) { $0.headers["Authorization"] = "Bearer x" } }
        #expect(secret == .secretField)
        #expect(await code { try await letters.retry(UUID()) { _ in } } == .notFound)
        #expect(await letters.all.map(\.id) == [receipt.id])
        #expect(try await letters.export(receipt.id).body.data == Data("a".utf8))
    }

    @Test("a body in its own file is replaced by another one, and the old file is removed")
    func blob() async throws {
        let server = TestServer { _, count in .status(count == 1 ? 400 : 200) }
        let outbox = Outbox.test(files, time: time) { $0.limits.longestInlineBody = 4 }
        let first = try await outbox.put("a long body", in: "q")
        try await outbox.drain(to: server)
        let second = try await outbox.deadLetters.retry(first.id, changing: Self.fill("another long body"))
        try await outbox.drain(to: server)
        #expect(server.requests.map(\.id) == [first.id, second.id])
        #expect(try files.list("/box/blobs").isEmpty)
    }

    @Test("if the process is killed at any call, exactly one of the two is there")
    func killed() async throws {
        let server = TestServer { request, _ in .status(request.body == "wrong" ? 422 : 200) }
        let receipt = try await outbox.put("wrong", in: "q")
        try await outbox.drain(to: server)
        try await outbox.deadLetters.retry(receipt.id, changing: Self.fill("right"))
        // The records are at the end of the only segment: each of its prefixes is what a kill may leave.
        let path = try #require(files.list("/box").first { $0.hasPrefix("journal-") })
        let whole = try #require(files.bytes(of: "/box/\(path)"))
        for count in stride(from: SegmentHead.count + 1, to: whole.count, by: 7) {
            let copy = files.afterKill()
            let file = try copy.open("/box/\(path)", .update)
            try copy.truncate(file, to: count)
            copy.close(file)
            let box = Outbox.test(copy, time: time)
            let state = await box.state
            #expect(state.waiting + state.deadLetters.count <= 1, "\(count)")
        }
        let box = Outbox.test(files.afterKill(), time: time)
        #expect(await box.state.waiting == 1)
    }

    @Test("a queue of higher priority goes first, and one that waits for its time blocks no other")
    func priority() async throws {
        let server = TestServer { request, count in .status(request.body == "pay 1" && count == 1 ? 503 : 200) }
        let outbox = Outbox.test(files, time: time) { options in
            options.concurrency = 1
            options.priority = { $0 == "pay" ? 2 : $0 == "log" ? -1 : 0 }
        }
        for body in ["log 1", "note 1", "log 2", "pay 1", "note 2", "pay 2"] {
            try await outbox.put(body, in: String(body.prefix { $0 != " " }))
        }
        try await outbox.drain(to: server)
        let bodies = server.bodies
        #expect(bodies.first == "pay 1")
        #expect(Array(bodies.dropFirst()).sorted() == ["log 1", "log 2", "note 1", "note 2", "pay 1", "pay 2"])
        let others = bodies.filter { !$0.hasPrefix("pay") }
        #expect(others == ["note 1", "note 2", "log 1", "log 2"])
    }
}

extension Outbox {
    fileprivate func waitingEntry(_ id: UUID) async -> OutboxEntry? { await engine.index[id]?.summary }
}
