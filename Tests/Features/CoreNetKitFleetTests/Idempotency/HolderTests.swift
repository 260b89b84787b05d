import CoreNetKitFleet
import TestSupport

@Suite("Eight processes with one idempotency key and a store that fails", .timeLimit(.minutes(10)), .paced)
struct HolderTests {
    /// One server, one store, and a way to it for each process.
    private final class Fleet: Sendable {
        let clock = ManualClock()
        let sent = Recorder<String>()
        let events = Recorder<FleetEvent>()
        let local: LocalStore
        let ways: [WatchedStore]
        private let clients: [Client]

        init(
            ifStoreUnavailable policy: StoreFailurePolicy = .open,
            sealing: [SealingKeys]? = nil,
            answersAfter time: Duration = .seconds(3)
        ) throws {
            let (clock, sent, events) = (clock, sent, events)
            local = LocalStore(clock: clock)
            let keys = try sealing ?? [SealingKeys(.random(id: "a"))]
            ways = (0..<8).map { [local] _ in WatchedStore(local) }
            let transport = ClosureTransport { request in
                sent.record(request.headers["Idempotency-Key"] ?? "none")
                try await clock.sleep(until: clock.now.advanced(by: time))
                return .init(status: 201, body: .bytes(Data("made".utf8)), url: request.url)
            }
            clients = ways.enumerated().map { number, way in
                let records = IdempotencyRecords(
                    in: way,
                    named: "test",
                    sealing: keys[number % keys.count],
                    ifStoreUnavailable: policy,
                    events: { events.record($0) }
                )
                return Client(transport: transport, clock: CallClock(clock)).idempotencyRecords(records)
            }
        }

        func call(_ key: String = "job", from process: Int) async throws -> String {
            let chain: Chain<Data, String> = UrlChainsBuilder<String>(client: clients[process])
                .set(deadline: nil)
                .route(.post, host)
                .set(headers: ["Idempotency-Key": key])
                .build()
            return try await chain.process(Data("body".utf8))
        }

        func make(_ key: String = "job", from process: Int) async throws {
            #expect(try await call(key, from: process) == "made")
        }

        func wait(_ time: Duration) async throws { try await clock.sleep(until: clock.now.advanced(by: time)) }
    }

    @Test(
        "all that have seen the holder wait for its response, whatever the store says meanwhile",
        arguments: [SharedStoreError.Code.timedOut, .unreachable, .unavailable, .refused, .corrupt]
    )
    func seen(code: SharedStoreError.Code) async throws {
        let fleet = try Fleet()
        // The time goes on when all have seen the holder, and not before.
        let first = Task { try await fleet.call(from: 0) }
        await until { fleet.sent.values.count == 1 }
        let others = Task { try await concurrently(7) { try await fleet.call(from: $0 + 1) } }
        await until { fleet.ways.dropFirst().allSatisfy { $0.done(.lease) > 0 } }
        for way in fleet.ways.dropFirst() { way.fail(code) }
        let texts = try await fleet.clock.running {
            try await fleet.wait(.milliseconds(1500))
            for way in fleet.ways { way.onCall(nil) }
            return try await [first.value] + others.value
        }
        #expect(texts == Array(repeating: "made", count: 8))
        #expect(fleet.sent.values.count == 1)
        #expect(fleet.events.values.count == 7)
        #expect(fleet.events.values.allSatisfy { $0.kind == .fallback && $0.cause?.code == code })
    }

    @Test("a holder that is not heard of any more is waited for until its lease ends, and not longer")
    func leaseEnds() async throws {
        let fleet = try Fleet()
        let lost = Task { try await fleet.call(from: 0) }
        await until { fleet.sent.values.count == 1 }
        let other = Task { try await fleet.call(from: 1) }
        await until { fleet.ways[1].done(.lease) > 0 }
        let start = fleet.clock.now.offset
        fleet.ways[1].fail()
        let lease = try await fleet.clock.running {
            _ = try await [lost.value, other.value]
            return fleet.clock.now.offset - start
        }
        #expect(fleet.sent.values.count == 2)
        #expect(lease >= .seconds(58) && lease < .seconds(66), "\(lease)")
    }

    @Test("each 20th reply is cut: 60 jobs are 60 requests", arguments: [1] as [UInt64])
    func cut(seed: UInt64) async throws {
        let fleet = try Fleet(answersAfter: .milliseconds(50))
        let random = Locked(SplitMix64(seed: seed))
        for way in fleet.ways {
            let calls = Locked(random.withLock { Int.random(in: 0..<20, using: &$0) })
            way.onCall { (_, time) throws(SharedStoreError) in
                guard time == .after else { return }
                let count = calls.next()
                guard count.isMultiple(of: 20) else { return }
                throw SharedStoreError(.unreachable, "the reply was cut", mayBeDone: true)
            }
        }
        try await fleet.clock.running {
            try await concurrently(8) { process in
                for job in 0..<60 { try await fleet.make("\(job)", from: process) }
            }
        }
        let counts = Dictionary(grouping: fleet.sent.values) { $0 }
        #expect(fleet.sent.values.count == 60, "\(counts.filter { $0.value.count > 1 }.keys)")
    }

    @Test(
        "without a store a process sends a key once for all its own calls, or not at all",
        arguments: [StoreFailurePolicy.open, .localShare(of: 8), .closed]
    )
    func unavailable(policy: StoreFailurePolicy) async throws {
        let fleet = try Fleet(ifStoreUnavailable: policy)
        for way in fleet.ways { way.fail(.unavailable) }
        let codes = try await fleet.clock.running {
            try await concurrently(24) { number in await failure { _ = try await fleet.call(from: number % 8) }?.code }
        }
        #expect(fleet.sent.values.count == (policy == .closed ? 0 : 8))
        #expect(codes == Array(repeating: policy == .closed ? .nodeFailed : nil, count: 24))
        #expect(fleet.events.values.count == 24)
        #expect(fleet.events.values.allSatisfy { $0.name == "idempotency.fellBack" })
    }

    @Test("what was sent without the store is told to it, and not sent again")
    func told() async throws {
        let fleet = try Fleet()
        fleet.ways[0].fail(.unavailable)
        try await fleet.clock.running {
            try await fleet.make(from: 0)
            fleet.ways[0].onCall(nil)
            for process in [0, 1] {
                await until { fleet.ways[0].done(.write) > 0 }
                try await fleet.make(from: process)
            }
        }
        #expect(fleet.sent.values.count == 1)
    }

    @Test("a response whose keeping fails at first is kept, and its holder waited for until then")
    func keptLater() async throws {
        let fleet = try Fleet()
        fleet.ways[0].lose(.write) { $0 < 3 }
        try await fleet.clock.running {
            try await fleet.make(from: 0)
            try await fleet.make(from: 1)
        }
        #expect(fleet.sent.values.count == 1)
        #expect(fleet.events.values.map(\.kind) == [.notStored])
    }

    @Test("a lease whose release fails is released later, and not at its end")
    func releasedLater() async throws {
        let fleet = try Fleet()
        fleet.ways[0].lose(.release) { $0 < 3 }
        try await fleet.clock.running {
            _ = await failure { _ = try await fleet.call(from: 0) }
            await until { fleet.ways[0].done(.release) > 0 }
        }
        #expect(fleet.clock.now.offset < .seconds(10))
    }

    @Test("a kept response that cannot be opened is what a store is that is away", arguments: [false, true])
    func unopened(isClosed: Bool) async throws {
        let keys = [SealingKeys(try .random(id: "old")), SealingKeys(try .random(id: "new"))]
        let fleet = try Fleet(ifStoreUnavailable: isClosed ? .closed : .open, sealing: keys)
        try await fleet.clock.running {
            try await fleet.make(from: 0)
            if isClosed {
                #expect(await failure { _ = try await fleet.call(from: 1) }?.code == .nodeFailed)
            } else {
                try await fleet.make(from: 1)
                try await fleet.make(from: 3)
            }
        }
        #expect(fleet.sent.values.count == (isClosed ? 1 : 2))
        #expect(fleet.events.values.map(\.name) == ["idempotency.fellBack"])
    }
}
