import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("Order, owners, times", .timeLimit(.minutes(10)), .paced)
struct OrderTests {
    private var (files, time, outbox) = Outbox.onModel()
    private let server = TestServer()

    @Test("In one queue an entry is first sent after the one before it is final. Queues never wait for each other")
    func order() async throws {
        let server = TestServer { request, count in
            request.body.hasPrefix("a") && count < 6 ? .status(503) : .status(200)
        }
        for body in ["a1", "a2", "b1", "a3", "b2"] { try await outbox.put(body, in: String(body.prefix(1))) }
        try await outbox.drain(to: server)
        let a = server.bodies.filter { $0.hasPrefix("a") }
        #expect(a == a.sorted())
        let (b2, a1) = (server.requests.lastIndex { $0.body == "b2" }, server.requests.lastIndex { $0.body == "a1" })
        #expect(try #require(b2) < (try #require(a1)))
        #expect(server.effects == ["a1": 1, "a2": 1, "a3": 1, "b1": 1, "b2": 1])
    }

    @Test("storing an entry while offline checks only its own queue, however many there are")
    func looks() async throws {
        var looks: [Int] = []
        for size in [200, 3_200] {
            let (files, time) = (ModelFiles(), TestTime())
            let outbox = Outbox.test(files, time: time) { options in
                options.durability = .written
                options.limits.entries = 10_000
            }
            try await outbox.put("first", in: "first")
            let attempt = try await outbox.begin()
            await outbox.engine.finish(attempt, .whenConnected("offline"), nil)
            for number in 0..<size {
                try await outbox.put("", in: "\(number)")
                guard case .idle = await outbox.engine.next() else { return #expect(Bool(false), "nothing to send") }
            }
            looks.append(time.reads)
        }
        let growth = Double(looks[1]) / Double(looks[0])
        #expect(growth > 12 && growth < 20)
    }

    @Test("a concurrency below 1 sends one request after the other", arguments: [.min, -1, 0] as [Int])
    func noConcurrency(number: Int) async throws {
        let outbox = Outbox.test(files, time: time) { $0.concurrency = number }
        for queue in ["a", "b"] { try await outbox.put(queue, in: queue) }
        #expect(try await outbox.drain(to: server) == ["a", "b"])
    }

    @Test("a queue that waits for its time is sent at that time, whatever happens to others meanwhile")
    func wakesByItself() async throws {
        for queue in ["a", "b", "c"] { try await outbox.put(queue, in: queue) }
        for pause in [30, 10, 20] {
            let attempt = try await outbox.begin()
            await outbox.engine.finish(attempt, .later(.seconds(pause), isKnownHarmless: true), nil)
        }
        guard case .idle(let wake) = await outbox.engine.next() else { return #expect(Bool(false), "no attempt") }
        #expect(wake == .seconds(10))
        #expect(try await outbox.drain(to: server) == ["b", "c", "a"])
    }

    @Test("a dead entry does not block its queue, unless requested", arguments: [false, true])
    func dead(blocks: Bool) async throws {
        let server = TestServer { request, _ in .status(request.body == "1" ? 422 : 200) }
        let outbox = Outbox.test(files, time: time) { $0.afterFailure = blocks ? .block : .skip }
        let receipt = try await outbox.put("1", in: "q")
        try await outbox.put("2", in: "q")
        try await outbox.drain(to: server)
        #expect(server.effects == (blocks ? [:] : ["2": 1]))
        let dead = await outbox.state.deadLetters
        #expect(dead.map(\.id) == [receipt.id])
        #expect(dead.first?.lastStatus == 422)
        try await outbox.deadLetters.discard(receipt.id)
        try await outbox.drain(to: server)
        #expect(server.effects == ["2": 1])
        #expect(await outbox.deadLetters.all.isEmpty)
    }

    @Test("a dead letter can be exported and retried with its old key")
    func retry() async throws {
        let server = TestServer { _, count in .status(count == 1 ? 400 : 200) }
        let receipt = try await outbox.put("1")
        try await outbox.drain(to: server)
        let exported = try await outbox.deadLetters.export(receipt.id)
        #expect(exported.headers["Idempotency-Key"] == receipt.key)
        #expect(exported.body.data == Data("1".utf8))
        let again = Outbox.test(files.afterKill(), time: time)
        try await again.deadLetters.retry(receipt.id)
        try await again.drain(to: server)
        #expect(Set(server.requests.map(\.key)) == [receipt.key])
        #expect(server.effects == ["1": 1])
        await #expect(throws: OutboxError.self) { try await again.deadLetters.retry(receipt.id) }
    }

    @Test("a newer draft replaces one that was never sent")
    func merging() async throws {
        let first = try await outbox.put("draft 1", in: "q", merging: "d")
        try await outbox.put("other", in: "q")
        try await outbox.put("draft 2", in: "q", merging: "d")
        try await outbox.put("elsewhere", in: "r", merging: "d")
        let again = Outbox.test(files.afterKill(), time: time)
        try await again.drain(to: server)
        #expect(server.bodies.filter { $0 != "elsewhere" } == ["draft 2", "other"])
        await #expect(throws: OutboxError.self) { try await first.delivery() }
    }

    @Test(
        "a draft that is on its way is not replaced, even if nothing of it was sent after all: the newest one follows",
        arguments: [(DeliveryRules.Verdict.later(.zero, isKnownHarmless: false), 1), (.heldBack(.zero), 0)]
    )
    func mergingInFlight(verdict: DeliveryRules.Verdict, cuts: Int) async throws {
        let server = TestServer { _, count in count <= cuts ? .cut : .status(200) }
        try await outbox.put("draft 1", in: "q", merging: "d")
        let attempt = try await outbox.begin()
        try await outbox.put("draft 2", in: "q", merging: "d")
        await outbox.engine.finish(attempt, verdict, nil)
        try await outbox.put("draft 3", in: "q", merging: "d")
        let firsts = Array(repeating: "draft 1", count: cuts + 1)
        #expect(try await outbox.drain(to: server) == firsts + ["draft 3"])
    }

    @Test("`cancel` that returns `.cancelled` means: no byte of it is sent after that")
    func cancel() async throws {
        let first = try await outbox.put("1")
        let second = try await outbox.put("2")
        #expect(try await outbox.cancel(first.id) == .cancelled)
        let attempt = try await outbox.begin()
        #expect(try await outbox.cancel(second.id) == .tooLate)
        await outbox.engine.finish(attempt, .later(.zero, isKnownHarmless: false), nil)
        #expect(try await outbox.cancel(second.id) == .tooLate)
        for files in [files.afterKill(), files.afterPowerLoss { $0 = false }] {
            try await Outbox.test(files, time: time).drain(to: server)
        }
        #expect(server.requests.allSatisfy { $0.body == "2" })
        await #expect(throws: OutboxError.self) { try await outbox.cancel(first.id) }
    }

    @Test("without a connection nothing counts as an attempt, and all queues of the host wait together")
    func offline() async throws {
        let server = TestServer(time: time) { request, count in
            count <= 5 && request.url.contains("api.") ? .unreachable : .status(200)
        }
        let outbox = Outbox.test(files, time: time) { $0.concurrency = 1 }
        for number in 0..<20 { try await outbox.put("\(number)") }
        try await outbox.put("other", url: url("https://other.example.com/"))
        try await outbox.drain(to: server)
        // Four attempts in total, not five for each of twenty queues; and the other host is not delayed.
        #expect(server.requests.count == 25)
        #expect(server.requests[1].body == "other")
        #expect(server.effects.count == 21)
        #expect(time.now > .seconds(7))
    }

    @Test("401 pauses the owner's entries for the host and loses nothing")
    func unauthorized() async throws {
        let isSignedIn = Locked(false)
        let server = TestServer { _, _ in .status(isSignedIn.withLock { $0 } ? 200 : 401) }
        let outbox = Outbox.test(files, time: time, owner: "alice") { $0.concurrency = 1 }
        for number in 0..<5 { try await outbox.put("\(number)") }
        try await outbox.drain(to: server)
        #expect(server.requests.count == 1)
        let state = await outbox.state
        #expect(state.waiting == 5 && state.queues.allSatisfy { $0.pause == "status 401" })
        isSignedIn.withLock { $0 = true }
        try await outbox.resume()
        try await outbox.drain(to: server)
        #expect(server.effects.count == 5)
    }

    @Test("entries of another owner are never sent, and wait or are removed by choice")
    func owners() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await outbox.put("alice 1", in: "q")
        try await outbox.switchOwner(to: "bob")
        try await outbox.put("bob 1", in: "r")
        #expect(try await outbox.drain(to: server) == ["bob 1"])
        // After a restart no user is signed in until the app says so.
        let again = Outbox.test(files.afterKill(), time: time)
        try await again.drain(to: server)
        #expect(server.requests.count == 1)
        try await again.switchOwner(to: "alice")
        #expect(try await again.drain(to: server) == ["bob 1", "alice 1"])
        try await again.put("alice 2")
        try await again.switchOwner(to: "bob", others: .remove)
        try await again.switchOwner(to: "alice")
        try await again.drain(to: server)
        #expect(server.requests.count == 2)
    }

    @Test("what is removed for an owner is not left in the files")
    func removal() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await outbox.put("the secret of alice")
        try await outbox.put("for all", in: "q")
        try await outbox.removeAll(owner: "alice")
        #expect(!files.holds("the secret"))
    }

    @Test("an entry expires, is reported, and the queue continues")
    func expiry() async throws {
        let server = TestServer(time: time) { request, _ in request.body == "short" ? .status(503) : .status(200) }
        let receipt = try await outbox.put("short", in: "q", expires: .seconds(60))
        try await outbox.put("long", in: "q")
        try await outbox.drain(to: server)
        #expect(server.requests.last?.body == "long")
        #expect(await outbox.state.reports == [.expired(receipt.id)])
    }

    @Test("a clock ten years ahead expires nothing before one attempt; setting it back shortens no wait")
    func clockSteps() async throws {
        let server = TestServer(time: time) { _, count in
            count == 1 ? .status(503, ["Retry-After": "600"]) : .status(200)
        }
        try await outbox.put("1", expires: .seconds(3600))
        time.stepWall(by: 10 * 365 * 86_400)
        let attempt = try await outbox.begin()
        let response = try await server.send(attempt)
        time.stepWall(by: -11 * 365 * 86_400)
        await outbox.end(attempt, response)
        time.stepWall(by: -86_400)
        try await Outbox.test(files.afterKill(), time: time).drain(to: server)
        let times = server.requests.map(\.time)
        #expect(times.count == 2 && times[1] - times[0] >= .seconds(600) && times[1] - times[0] < .seconds(601))
    }

    @Test("a repetition whose key the server may have forgotten is in doubt instead")
    func keyLife() async throws {
        let server = TestServer { _, _ in .doneAndCut }
        let outbox = Outbox.test(files, time: time) { $0.longestBackoff = .seconds(3600) }
        try await outbox.put("1", repetition: .keyIsHonoured(for: .seconds(60)))
        try await outbox.drain(to: server)
        let dead = await outbox.state.deadLetters
        #expect(dead.count == 1)
        if case .inDoubt? = dead.first?.state {} else { #expect(Bool(false), "\(dead)") }
        #expect(server.effects == ["1": 1])
        #expect(server.requests.count < 15)
    }

    @Test("POST without an honoured key is in doubt after a broken connection, PUT is repeated")
    func byMethod() async throws {
        let server = TestServer(honoursKeys: false) { _, count in count <= 2 ? .doneAndCut : .status(200) }
        let outbox = Outbox.test(files, time: time) { $0.concurrency = 1 }
        let post = try await outbox.put("post", repetition: .byMethod)
        try await outbox.put("put", method: .put, repetition: .byMethod)
        try await outbox.drain(to: server)
        #expect(server.effects == ["post": 1, "put": 2])
        #expect(await outbox.deadLetters.all.map(\.id) == [post.id])
        await #expect(throws: OutboxError.self) { try await post.delivery() }
    }

    @Test("With the mock and the manual clock the same seed gives the same sequence of attempts", arguments: [1, 2, 3])
    func seeds(seed: UInt64) async throws {
        func run() async throws -> [TestServer.Request] {
            let (time, files) = (TestTime(), ModelFiles())
            let server = TestServer(time: time) { _, count in count % 4 == 0 ? .status(200) : .status(503) }
            let outbox = Outbox.test(files, time: time, seed: seed) { $0.concurrency = 1 }
            for number in 0..<6 { try await outbox.put("\(number)") }
            try await outbox.drain(to: server)
            return server.requests
        }
        let (first, second) = (try await run(), try await run())
        #expect(first.map(\.body) == second.map(\.body))
        #expect(first.map(\.time) == second.map(\.time))
        #expect(first.count == 24)
    }

    @Test("a response reaches its receipt, and the handler of its kind, even in a later process")
    func responses() async throws {
        let seen = Locked<[String]>([])
        let receipt = try await outbox.put("1", in: "q")
        let later = try await outbox.put("2", in: "q")
        await outbox.on("order") { delivery in seen.withLock { $0.append("first \(delivery.response.status)") } }
        let attempt = try await outbox.begin()
        let response = try await server.send(attempt)
        await outbox.engine.finish(attempt, .delivered(201), response)
        #expect(try await receipt.delivery().response.status == 201)
        let again = Outbox.test(files.afterKill(), time: time)
        await again.on("order") { delivery in
            seen.withLock { $0.append("\(delivery.entry.id == later.id) \(delivery.response.status)") }
        }
        try await again.drain(to: server)
        #expect(seen.withLock { $0 } == ["true 201"])
    }

    @Test("the app's next version changes stored requests, or gives them up")
    func migration() async throws {
        try await Outbox.test(files, time: time).put("old", in: "a")
        try await Outbox.test(files, time: time).put("hopeless", in: "b")
        let outbox = Outbox.test(files.afterKill(), time: time) { options in
            options.revision = 2
            options.migrate = { request, revision in
                guard revision == 0, request.body.data != Data("hopeless".utf8) else { return nil }
                var request = request
                request.url = url("https://new.example.com/orders")
                return request
            }
        }
        try await outbox.drain(to: server)
        #expect(server.requests.map(\.url) == ["https://new.example.com/orders"])
        #expect(await outbox.deadLetters.all.count == 1)
    }

    @Test("a delivery is recorded durably as soon as nothing is left to do")
    func deliveredForGood() async throws {
        let outbox = Outbox.test(files)
        try await outbox.put("a", repetition: .atMostOnce)
        try await outbox.drain(to: server)
        let again = Outbox.test(files.afterPowerLoss { $0 = false })
        #expect(await again.state.waiting == 0)
        #expect(await again.state.deadLetters.isEmpty)
    }
}
