import TestSupport

@Suite("The latest call of a chain", .timeLimit(.minutes(10)), .paced)
struct LatestChainTests {
    /// A server that takes a second less with each request: the first response would come last.
    private final class Slow: Sendable {
        let wire: Wire
        let cancelled = Recorder<Int>()

        init() {
            let (clock, cancelled) = (ManualClock(), cancelled)
            wire = Wire(clock) { index, request in
                try await cancelled.record(index) { try await clock.sleep(for: .seconds(max(10 - index, 1))) }
                return .init(status: 200, body: .bytes(Data((request.url.query() ?? "").utf8)), url: request.url)
            }
        }

        var builder: UrlChainsBuilder<String> { UrlChainsBuilder(client: wire.client()).set(deadline: nil) }

        func search(_ builder: UrlChainsBuilder<String>, _ text: String) -> Task<String, any Error> {
            let chain: Chain<[String: String], String> = builder.route(.get, host).build()
            return Task { try await chain.process(["q": text]) }
        }
    }

    private let slow = Slow()

    @Test("cancels the running one of its key on the wire; the newest wins, even if it is sent last")
    func overtakes() async throws {
        let debouncer = Debouncer()
        var calls: [Task<String, any Error>] = []
        for text in ["s", "sw", "swi"] {
            calls.append(slow.search(slow.builder.latest("search", in: debouncer), text))
            await until { slow.wire.count == calls.count }
        }
        let other = slow.search(slow.builder.latest("other", in: debouncer), "x")
        await until { slow.wire.count == 4 }
        for call in calls.dropLast() { await #expect(throws: CancellationError.self) { try await call.value } }
        await until { slow.cancelled.values.count == 2 }
        await slow.wire.clock.sleeping(7, 8)
        slow.wire.clock.advance(by: .seconds(8))
        #expect(try await calls[2].value == "q=swi")
        #expect(try await other.value == "q=x")
        #expect(slow.cancelled.values.sorted() == [0, 1])
    }

    @Test("an overtaken observer is cancelled before the new call is sent")
    func observer() async throws {
        let builder = slow.builder.latest("search", in: Debouncer())
        let chain: Chain<[String: String], String> = builder.route(.get, host).build()
        let first: Observer<String> = chain.process(["q": "s"])
        let events = ObserverRecorder().listen(to: first.dispatchOn(.global()))
        await until { slow.wire.count == 1 }
        let second = slow.search(builder, "sw")
        #expect(await events.allEvents() == ["canceled", "defer"])
        await slow.wire.clock.sleeping(9)
        slow.wire.clock.advance(by: .seconds(10))
        #expect(try await second.value == "q=sw")
    }

    @Test("debounce also cancels the one that was already sent, as soon as the next one comes")
    func debounced() async throws {
        let builder = slow.builder.debounce("search", for: .seconds(3), in: Debouncer())
        let first = slow.search(builder, "s")
        await slow.wire.clock.sleeping(3)
        slow.wire.clock.advance(by: .seconds(3))
        await slow.wire.clock.sleeping(13)
        let second = slow.search(builder, "sw")
        await #expect(throws: CancellationError.self) { try await first.value }
        await until { slow.cancelled.values == [0] }
        await slow.wire.clock.sleeping(6)
        slow.wire.clock.advance(by: .seconds(3))
        await slow.wire.clock.sleeping(15)
        slow.wire.clock.advance(by: .seconds(9))
        #expect(try await second.value == "q=sw")
        #expect(slow.wire.count == 2)
    }
}

@Suite("The latest call of a key", .timeLimit(.minutes(10)), .paced)
struct LatestTests {
    private let debouncer = Debouncer()

    /// Starts a call that ends with a value when the gate opens.
    private func start<Value: Sendable>(_ gate: Gate, _ value: Value) async -> Task<Value, any Error> {
        let call = Task {
            try await debouncer.latest("search") {
                try await gate.pass()
                return value
            }
        }
        await gate.arrived(1)
        return call
    }

    @Test("a result that arrives after a newer call has begun is dropped, even if its work did not notice")
    func stale() async throws {
        let (old, new) = (Gate(), Gate())
        let first = Task {
            try await debouncer.latest("search") {
                // Work that cannot be cancelled.
                try await Task { try await old.pass() }.value
                return "stale"
            }
        }
        await old.arrived(1)
        let second = await start(new, "fresh")
        old.open()
        await #expect(throws: CancellationError.self) { try await first.value }
        new.open()
        #expect(try await second.value == "fresh")
    }

    @Test("is cancelled with its caller, and leaves the key to the next")
    func cancelled() async throws {
        await cancel(await start(Gate(), 0))
        #expect(try await debouncer.latest("search") { 1 } == 1)
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await debouncer.latest("search") { throw Failure() } }
    }

    @Test("of many concurrent calls only the last one to begin gets its result")
    func crowd() async throws {
        for _ in 0..<50 {
            let debouncer = Debouncer()
            let results = try await concurrently(16) { index in
                try? await debouncer.latest("key") {
                    for _ in 0..<8 { await Task.yield() }
                    return index
                }
            }.compactMap(\.self)
            // Those that ended before the next one began have their results too.
            #expect(!results.isEmpty && Set(results).count == results.count)
        }
    }
}
