import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("Which owners' entries go, and which wait", .timeLimit(.minutes(10)), .paced)
struct OwnerTests {
    private var (files, time, outbox) = Outbox.onModel()
    private let server = TestServer()

    private func put(_ outbox: Outbox, _ bodies: String...) async throws {
        for body in bodies {
            let owner = body.split(separator: " ").first.map(String.init)
            try await outbox.put(body, in: "comments", owner: owner == "nobody" ? nil : owner)
        }
    }

    @Test("entries of an absent owner are skipped; unowned entries and those of the present owner keep their order")
    func passedOver() async throws {
        try await put(outbox, "alice 1", "nobody 1", "bob 1", "alice 2", "nobody 2", "bob 2", "nobody 3")
        try await outbox.switchOwner(to: "bob")
        #expect(try await outbox.drain(to: server) == ["nobody 1", "bob 1", "nobody 2", "bob 2", "nobody 3"])
        let queue = try #require(await outbox.state.queues.first)
        #expect(queue.waiting == 2 && queue.pause == "waits for another owner")
        let again = Outbox.test(files.afterKill(), time: time, owner: "alice")
        try await put(again, "nobody 4", "alice 3")
        try await again.drain(to: server)
        #expect(server.requests.dropFirst(5).map(\.body) == ["alice 1", "alice 2", "nobody 4", "alice 3"])
        #expect(await again.state.waiting == 0)
    }

    @Test("a request of a chain without a signed-in user has no owner, whatever tokens the outbox had before")
    func anonymousChain() async throws {
        let folder = try TemporaryFolder()
        let outbox = try Outbox(at: folder.box)
        let user = Locked(Partition("alice"))
        let mock = MockTransport()
        mock.on(nil, "/**", .text("", status: 204))
        let client = Client(transport: mock).set(partition: ClosurePartition { user.value }).outbox(outbox)
        let builder = UrlChainsBuilder<String>(client: client).route(.post, "https://a.test/x")
        let chain: Chain<Void, OutboxReceipt> = builder.enqueue(repetition: .harmless)
        // The outbox knows whose tokens the client has, or had.
        _ = try await outbox.drain(with: client)
        for owner in [.anonymous, Partition("bob")] {
            user.withLock { $0 = owner }
            let receipt = try await chain.process()
            #expect(try await outbox.waiting("", of: owner).map(\.entry.id) == [receipt.id])
        }
        _ = try await outbox.drain(with: client)
        #expect(mock.requests.count == 2)
        // An owner named by the app itself counts if the user has no name.
        try await outbox.switchOwner(to: "carol")
        user.withLock { $0 = .anonymous }
        _ = try await chain.process()
        #expect(try await outbox.waiting("", of: Partition("carol")).count == 1)
    }

    @Test("a step checks no entry of an absent owner, however many wait in the same queue", arguments: [10, 1_000])
    func noLookAtAll(count: Int) async throws {
        for number in 0..<count { try await put(outbox, "alice \(number)") }
        try await outbox.switchOwner(to: "bob")
        guard case .idle = await outbox.engine.next() else { return #expect(Bool(false), "nothing of bob's") }
        let before = time.reads
        try await put(outbox, "bob 1")
        try await outbox.drain(to: server)
        // Each check of an entry reads the time.
        #expect(time.reads - before < 60, "\(time.reads - before)")
        #expect(server.bodies == ["bob 1"])
    }

    @Test("expired entries are removed, whoever owns them and whatever they wait for")
    func expiredElsewhere() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await outbox.put("1", in: "comments", expires: .seconds(60))
        try await outbox.put("2", in: "comments", expires: .seconds(600))
        try await outbox.switchOwner(to: "bob")
        time.advance(by: .seconds(120))
        try await outbox.drain(to: TestServer())
        let state = await outbox.state
        #expect(state.waiting == 1)
        #expect(state.reports.count { if case .expired = $0 { true } else { false } } == 1)
    }

    @Test("a wait, a pause and a failure of an absent owner delay no others", arguments: 0...2)
    func notInTheWay(kind: Int) async throws {
        let server = TestServer(time: time) { request, _ in
            request.body == "alice 1" ? .status([503, 401, 422][kind], ["Retry-After": "3600"]) : .status(200)
        }
        let outbox = Outbox.test(files, time: time, owner: "alice") { $0.afterFailure = .block }
        try await put(outbox, "alice 1", "alice 2", "bob 1")
        let attempt = try await outbox.begin()
        await outbox.end(attempt, try await server.send(attempt))
        try await outbox.switchOwner(to: "bob")
        #expect(try await outbox.drain(to: server) == ["alice 1", "bob 1"])
        #expect(time.now < .seconds(60))
        if kind == 2 {
            try await outbox.switchOwner(to: "alice")
            try await outbox.drain(to: server)
            #expect(server.requests.count == 2)
            #expect(await outbox.state.queues.first?.pause == "the entry before it needs a decision")
        }
    }

    @Test(
        "limits are per owner: no request is refused or dropped because of another owner's",
        arguments: [false, true]
    )
    func limits(drops: Bool) async throws {
        let outbox = Outbox.test(files, time: time) { options in
            options.limits.entries = 3
            options.overflow = drops ? .dropOldest : .refuse
        }
        try await put(outbox, "alice 1", "alice 2", "alice 3", "bob 1", "bob 2", "nobody 1")
        #expect(await code { try await put(outbox, "alice 4") } == (drops ? nil : .full))
        try await put(outbox, "bob 3")
        for owner in ["bob", "alice"] {
            try await outbox.switchOwner(to: owner)
            try await outbox.drain(to: server)
        }
        let alices = drops ? ["alice 2", "alice 3", "alice 4"] : ["alice 1", "alice 2", "alice 3"]
        #expect(server.bodies == ["bob 1", "bob 2", "nobody 1", "bob 3"] + alices)
    }

    @Test("while an owner is parked none of their entries run or start; unparked they continue unchanged, keys and all")
    func parking() async throws {
        let isOut = Locked(false)
        let server = TestServer { _, _ in isOut.withLock { $0 } ? .status(401) : .status(200) }
        try await put(outbox, "alice 1", "alice 2", "nobody 1")
        try await outbox.switchOwner(to: "alice")
        let attempt = try await outbox.begin()
        let ended = Locked(false)
        await outbox.engine.register(attempt) { ended.withLock { $0 = true } }
        async let parked: Void = outbox.park(Partition("alice"))
        while !ended.withLock({ $0 }) { await Task.yield() }
        await outbox.engine.finish(attempt, .later(.zero, isKnownHarmless: false), nil)
        try await parked
        #expect(try await outbox.drain(to: server) == ["nobody 1"])
        #expect(await outbox.state.queues.first?.pause == "its owner signs out")
        try await put(outbox, "alice 3")
        await outbox.unpark(Partition("alice"))
        #expect(try await outbox.drain(to: server) == ["nobody 1", "alice 1", "alice 2", "alice 3"])
        #expect(server.requests[1].key == attempt.request.headers["Idempotency-Key"])
        // A pause for lack of a token ends with the next login, even if the logout was not seen.
        isOut.withLock { $0 = true }
        try await put(outbox, "alice 4")
        try await outbox.drain(to: server)
        isOut.withLock { $0 = false }
        try await outbox.park(Partition("alice"))
        await outbox.unpark(Partition("alice"))
        try await outbox.drain(to: server)
        #expect(server.effects["alice 4"] == 1)
    }

    @Test("a caller that waits for running entries may give up, and is told")
    func parkingCancelled() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await put(outbox, "alice 1")
        guard case .attempt = await outbox.engine.next() else { return #expect(Bool(false), "an attempt") }
        let parked = Task { try await outbox.park(Partition("alice")) }
        parked.cancel()
        await #expect(throws: CancellationError.self) { try await parked.value }
    }

    @Test("what is removed for an owner does not come back, neither from another process's file nor a running call")
    func broughtBack() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        let other = Outbox.test(files, time: time)
        try await put(outbox, "alice 1")
        try await put(other, "alice 2", "bob 1")
        let stop = Stop()
        let body = RequestBody.stream(isReplayable: true) {
            AsyncThrowingStream { continuation in
                Task {
                    await stop.pass()
                    continuation.yield(Data("alice 3".utf8))
                    continuation.finish()
                }
            }
        }
        let late = Task {
            try await outbox.enqueue(OutboxRequest(method: .post, url: testURL, body: body), owner: "alice")
        }
        await stop.isReached()
        try await outbox.removeAll(owner: "alice")
        stop.open()
        let error = await #expect(throws: OutboxError.self) { try await late.value }
        #expect(error?.code == .notDelivered)
        try await outbox.drain(to: server)
        #expect(server.requests.isEmpty)
        #expect(await outbox.state.waiting == 1)
        #expect(!files.paths.contains { $0.contains("blobs/") })
        try await put(outbox, "alice 4")
        #expect(try await outbox.drain(to: server) == ["alice 4"])
    }
}

@Suite("The outbox at a sign-out", .timeLimit(.minutes(10)), .paced)
struct SignOutTests {
    private var (files, time, outbox) = Outbox.onModel()
    private let server = TestServer()

    private func holds(_ text: String) -> Bool { files.afterKill().holds(text) }

    @Test("the user's waiting entries are removed, from the files too, and others stay")
    func removes() async throws {
        for (body, owner) in [("canary-alice", "alice"), ("canary-bob", "bob"), ("canary-nobody", nil)] {
            try await outbox.put(body, in: "comments", owner: owner)
        }
        #expect(outbox.kind == .requests)
        try await outbox.removeData(of: Partition.Session(of: Partition("alice")))
        #expect(!holds("canary-alice") && holds("canary-bob"))
        try await outbox.switchOwner(to: "bob")
        try await outbox.drain(to: server)
        #expect(server.effects.keys.sorted() == ["canary-bob", "canary-nobody"])
        try await outbox.switchOwner(to: "alice")
        try await outbox.put("again", in: "comments", owner: "alice")
        try await outbox.drain(to: server)
        #expect(server.effects["again"] == 1)
    }

    @Test("running entries have ended when it returns, and do not come back")
    func inFlight() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await outbox.put("1", in: "comments", owner: "alice")
        let (begun, began) = AsyncStream<Void>.makeStream()
        let delivery = Task {
            try await outbox.deliver(until: nil, stopsWhenDone: false) { _ in
                began.yield()
                // Until it is cancelled.
                try await LoopbackGate().wait()
                throw CancellationError()
            }
        }
        for await _ in begun { break }
        try await outbox.removeData(of: Partition.Session(of: Partition("alice")))
        let state = await outbox.state
        #expect(state.sending == 0 && state.waiting == 0 && state.deadLetters.isEmpty)
        delivery.cancel()
        _ = await delivery.result
    }

    @Test("a user whose name is not stable has no entries here", arguments: [true, false])
    func nobody(isAnonymous: Bool) async throws {
        try await outbox.put("1", in: "comments", owner: nil)
        let session = Partition.Session(of: isAnonymous ? .anonymous : Partition("x", isStable: false))
        let calls = files.calls
        try await outbox.removeData(of: session)
        #expect(await outbox.state.waiting == 1 && files.calls == calls)
    }

    @Test("an unwritable disk is reported, and the user's entries are removed afterwards")
    func brokenDisk() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await outbox.put("1", in: "comments", owner: "alice")
        files.fail { operation, _ in operation == .write || operation == .sync ? EIO : nil }
        await #expect(throws: OutboxError.self) {
            try await outbox.removeData(of: Partition.Session(of: Partition("alice")))
        }
        files.fail { _, _ in nil }
        try await outbox.drain(to: server)
        #expect(server.effects == ["1": 1])
    }
}
