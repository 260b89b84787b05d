import TestSupport

@Suite("Debounce and throttle", .timeLimit(.minutes(10)), .paced)
struct PaceTests {
    private let wire = Wire(statuses: [200])

    private func debounced(_ wire: Wire, _ debouncer: Debouncer, key: String = "search") -> Chain<Void, Void> {
        wire.chain { $0.debounce(key, for: .seconds(3), in: debouncer) }
    }

    @Test("each call restarts the time of its key; the last one passes, the others end as cancelled")
    func debounce() async throws {
        let debouncer = Debouncer()
        var calls: [Task<Void, any Error>] = []
        for start in [0, 2, 4] {
            // Each with its own chain, as a service creates them.
            let chain = debounced(wire, debouncer)
            calls.append(chain.start())
            if calls.count > 1 {
                await #expect(throws: CancellationError.self) { try await calls[calls.count - 2].value }
            }
            await wire.clock.sleeping(start + 3)
            wire.clock.advance(by: .seconds(2))
        }
        let other = debounced(wire, debouncer, key: "other")
        let unrelated = other.start()
        await wire.clock.sleeping(7, 9)
        wire.clock.advance(by: .seconds(1))
        try await calls[2].value
        #expect(wire.times == [.seconds(7)])
        wire.clock.advance(by: .seconds(2))
        try await unrelated.value
        #expect(wire.count == 2)
        #expect(wire.clock.sleepers.isEmpty)
    }

    @Test("a call cancelled while it waits is never sent, and the next one is not affected")
    func cancelled() async throws {
        let chain = debounced(wire, Debouncer())
        let first = chain.start()
        await wire.clock.sleeping(3)
        await cancel(first)
        await wire.clock.sleeping()
        try await wire.clock.running { try await chain.process() }
        #expect(wire.count == 1)
    }

    @Test("a wait cut off by the deadline ends at the deadline, and reports that the call was held back")
    func deadline() async throws {
        let chain = wire.chain { $0.debounce("k", for: .seconds(3), in: Debouncer()).set(deadline: .seconds(1)) }
        let error = try await wire.clock.running { await chain.failure }
        #expect(error?.code == .deadlineExceeded)
        // The last node gives the same code, but after the whole wait.
        #expect(error?.node == "PaceNode")
        #expect(wire.clock.now.offset == .seconds(1))
        #expect(wire.count == 0)
    }

    @Test("throttle lets the first call of each interval through and ends the others at once")
    func throttle() async throws {
        let chain = wire.chain { $0.throttle("k", for: .seconds(3), in: Debouncer()) }
        for _ in 0..<7 {
            if [0, 3, 6].contains(wire.clock.now.offset / .seconds(1)) {
                try await chain.process()
            } else {
                await #expect(throws: CancellationError.self) { try await chain.process() }
            }
            wire.clock.advance(by: .seconds(1))
        }
        #expect(wire.times == [.zero, .seconds(3), .seconds(6)])
    }
}
