import CoreNetKitFleet
import TestSupport

@Suite("A circuit that learns of other processes", .timeLimit(.minutes(10)), .paced)
struct BreakerHintTests {
    /// One process: its circuit, its way to the server and to the store.
    final class Process: Sendable {
        let breaker: CircuitBreaker
        let store: WatchedStore
        let events = Recorder<FleetEvent>()
        let status = Locked(503)
        private let client: Client

        init(_ store: any SharedStore, _ clock: CallClock, minimumCalls: Int = 4, named name: String = "api") {
            let (watched, events, status) = (WatchedStore(store), events, status)
            self.store = watched
            breaker = CircuitBreaker(
                minimumCalls: minimumCalls,
                window: .seconds(1000),
                pause: .seconds(30),
                named: name,
                in: watched,
                events: { events.record($0) }
            )
            let transport = ClosureTransport { .init(status: status.withLock { $0 }, url: $0.url) }
            client = Client(transport: transport, clock: clock).breaker(breaker)
        }

        func call(_ status: Int) async -> NetworkError? {
            self.status.withLock { $0 = status }
            return await failure { try await client.call() }
        }

        /// Fails once, and looks for hints.
        func ask() async {
            _ = await call(503)
            await until { store.done(.read) == 1 }
        }

        /// Fails until the circuit opens by what the process has seen itself, and has told so.
        func open() async {
            while !breaker.isOpen { _ = await call(503) }
            await until { store.done(.write) == 1 }
        }
    }

    private var (clock, shared) = LocalStore.onManualClock()

    private func process(_ minimumCalls: Int = 4, named name: String = "api") -> Process {
        Process(shared, CallClock(clock), minimumCalls: minimumCalls, named: name)
    }

    private func expectAlone(_ process: Process) async {
        for number in 1...4 {
            #expect(!process.breaker.isOpen, "\(number)")
            _ = await process.call(503)
        }
        #expect(process.breaker.isOpen)
    }

    @Test("opens after half as many calls, once one has failed here and another process's circuit is open")
    func sooner() async {
        let (first, second) = (process(), process())
        await first.open()
        await second.ask()
        #expect(!second.breaker.isOpen)
        _ = await second.call(503)
        // What was heard may come before the second call ends, or after it.
        await until { second.breaker.isOpen }
        #expect(await second.call(200)?.code == .circuitOpen)
        #expect(second.events.values.map(\.kind) == [.openedEarly])
        #expect(first.events.values.isEmpty)
    }

    @Test("needs all its calls if no other process's circuit is open")
    func alone() async {
        let process = process()
        await expectAlone(process)
        #expect(process.events.values.isEmpty)
    }

    @Test("neither opens nor asks if its own calls succeed")
    func healthy() async {
        let (first, second) = (process(), process(1))
        await first.open()
        for _ in 0..<20 { #expect(await second.call(200) == nil) }
        #expect(!second.breaker.isOpen)
        #expect(second.store.count(of: .read) == 0)
    }

    @Test("stays closed while its own share of failures is below the ratio")
    func mostlyHealthy() async {
        let (first, second) = (process(), process())
        await first.open()
        for _ in 0..<3 { #expect(await second.call(200) == nil) }
        await second.ask()
        for _ in 0..<10 { #expect(await second.call(200) == nil) }
        #expect(!second.breaker.isOpen)
    }

    @Test("that opened by a hint leaves none: two processes do not keep a third one open for ever")
    func noEcho() async {
        let (first, second, third) = (process(), process(), process())
        await first.open()
        await second.ask()
        _ = await second.call(503)
        await until { second.breaker.isOpen }
        #expect(second.store.count(of: .write) == 0)
        // The first one's hint is over with its pause.
        clock.advance(by: .seconds(31))
        for _ in 0..<3 { _ = await third.call(503) }
        await until { third.store.done(.read) == 1 }
        #expect(!third.breaker.isOpen)
    }

    @Test("asks at most once a second, however many calls fail")
    func askedSeldom() async {
        let process = process(1000)
        for _ in 0..<50 { _ = await process.call(503) }
        await until { process.store.done(.read) == 1 }
        clock.advance(by: .seconds(1))
        for _ in 0..<50 { _ = await process.call(503) }
        await until { process.store.done(.read) == 2 }
        #expect(process.store.count(of: .read) == 2)
    }

    @Test("judges alone while the store is away, says so, and delays no call")
    func away() async {
        let process = process()
        let gate = Signal()
        process.store.onCall { (_, _) throws(SharedStoreError) in
            // Held for as long as the test likes: calls go on.
            await gate.wait(1)
            throw SharedStoreError(.timedOut, "the test says so")
        }
        await expectAlone(process)
        gate.signal()
        await until { process.events.values.count == 2 }
        #expect(process.events.values.allSatisfy { $0.name == "breaker.fellBack" && $0.cause?.code == .timedOut })
    }

    @Test("without a name, or with no pause, fails each call with its reason")
    func problems() async {
        let error = await process(named: "").call(200)
        #expect(error?.code == .invalidChain)
        let breaker = CircuitBreaker(pause: .microseconds(1), named: "api", in: shared)
        #expect(breaker.problem?.contains("1 ms") == true)
    }

    #if os(Linux)
        @Test("opens sooner over a real server, too", .needsServer)
        func realServer() async throws {
            let server = try RealServer()
            let processes = (0..<2).map { _ in
                Process(ValkeyStore(server.unix, timeout: .seconds(60)), .continuous)
            }
            await processes[0].open()
            for _ in 0..<2 { _ = await processes[1].call(503) }
            await until { processes[1].breaker.isOpen }
            #expect(processes[1].events.values.map(\.kind) == [.openedEarly])
        }
    #endif
}
