import CoreNetKitEndpoints
import CoreNetKitFleet
import TestSupport

@Suite("A member that is ejected in another process", .timeLimit(.minutes(10)), .paced)
struct MemberHintTests {
    /// One process: its members, the first of which may be down, and its way to the store.
    final class Process: Sendable {
        let api = Endpoints(
            "https://api.test",
            ["https://a.test", "https://b.test"],
            choosing: .ordered(sticky: .zero)
        )
        let store: WatchedStore
        let events = Recorder<FleetEvent>()
        private let isDown = Locked(true)
        private let client: Client

        init(_ store: any SharedStore, _ clock: CallClock) {
            let (watched, isDown, events) = (WatchedStore(store), isDown, events)
            self.store = watched
            api.shareHealth(in: watched) { events.record($0) }
            let transport = ClosureTransport { request in
                if request.url.host() == "a.test", isDown.withLock({ $0 }) {
                    throw TransportError(.cannotConnect, phase: .connect, message: "refused")
                }
                return .init(status: 200, url: request.url)
            }
            client = Client(transport: transport, clock: clock).endpoints(api)
        }

        var isEjected: Bool { api.state[0].ejectedUntil != nil }

        func call(isDown: Bool = true) async throws {
            self.isDown.withLock { $0 = isDown }
            try await client.call("https://api.test/")
        }

        /// Fails until the member is ejected by what the process has seen itself, and has told so.
        func eject() async throws {
            for _ in 0..<3 { try await call() }
            #expect(isEjected)
            await until { store.done(.write) == 1 }
        }
    }

    private var (clock, shared) = LocalStore.onManualClock()

    private func process() -> Process { Process(shared, CallClock(clock)) }

    @Test("is ejected here after one failure, and leaves no hint: processes do not keep it away for ever")
    func sooner() async throws {
        let (first, second) = (process(), process())
        try await first.eject()
        try await second.call()
        await until { second.isEjected }
        await until { second.events.values.map(\.name) == ["breaker.openedEarly"] }
        #expect(second.store.count(of: .write) == 0 && first.events.values.isEmpty)
        // The hint is over with the pause of the first one.
        clock.advance(by: .seconds(11))
        let third = process()
        try await third.call()
        await until { third.store.done(.read) == 1 }
        #expect(!third.isEjected)
    }

    @Test("is used here while its requests succeed, and the store is not asked")
    func healthy() async throws {
        let (first, second) = (process(), process())
        try await first.eject()
        for _ in 0..<20 { try await second.call(isDown: false) }
        #expect(!second.isEjected && second.store.count(of: .read) == 0)
    }

    @Test("a process is no other one: its own hint is none, and it asks at most once a second")
    func own() async throws {
        let process = process()
        try await process.eject()
        clock.advance(by: .milliseconds(9_999))
        await until { process.store.done(.read) == 1 }
        clock.advance(by: .milliseconds(1))
        try await process.call(isDown: false)
        #expect(!process.isEjected)
        try await process.call()
        await until { process.store.done(.read) == 2 }
        #expect(!process.isEjected)
    }

    @Test("a store that is away fails and delays no call; each process judges alone and says so")
    func away() async throws {
        let process = process()
        let gate = Signal()
        process.store.onCall { (_, _) throws(SharedStoreError) in
            await gate.wait(1)
            throw SharedStoreError(.timedOut, "the test says so")
        }
        for _ in 0..<3 { try await process.call() }
        #expect(process.isEjected)
        gate.signal()
        await until { process.events.values.count == 2 }
        #expect(process.events.values.allSatisfy { $0.name == "breaker.fellBack" && $0.cause?.code == .timedOut })
    }
}
