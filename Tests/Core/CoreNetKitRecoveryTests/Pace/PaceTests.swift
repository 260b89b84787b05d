import TestSupport

@Suite("Debounce and throttle", .timeLimit(.minutes(10)), .paced)
struct PaceTests {
    private func debounced(_ wire: Wire, _ debouncer: Debouncer, key: String = "search") -> Chain<Void, Void> {
        UrlChainsBuilder<String>(client: wire.client())
            .debounce(key, for: .seconds(3), in: debouncer).route(.get, host).build()
    }

    @Test("each call restarts the time of its key; the last one passes, the others end as cancelled")
    func debounce() async throws {
        let wire = Wire(statuses: [200])
        let debouncer = Debouncer()
        var calls: [Task<Void, any Error>] = []
        for start in [0, 2, 4] {
            // Each with its own chain, as a service creates them.
            let chain = debounced(wire, debouncer)
            calls.append(Task { try await chain.process() })
            if calls.count > 1 {
                await #expect(throws: CancellationError.self) { try await calls[calls.count - 2].value }
            }
            await wire.clock.sleeping(start + 3)
            wire.clock.advance(by: .seconds(2))
        }
        let other = debounced(wire, debouncer, key: "other")
        let unrelated = Task { try await other.process() }
        await wire.clock.sleeping(7, 9)
        wire.clock.advance(by: .seconds(1))
        try await calls[2].value
        #expect(wire.times == [.seconds(7)])
        wire.clock.advance(by: .seconds(2))
        try await unrelated.value
        #expect(wire.count == 2)
        #expect(wire.clock.sleepers.isEmpty)
    }

    @Test("a superseded observer is cancelled, not failed")
    func observer() async throws {
        let wire = Wire(statuses: [200])
        let debouncer = Debouncer()
        let events = Recorder<String>()
        let chain = debounced(wire, debouncer)
        let first: Observer<Void> = chain.process()
        first.dispatchOn(.global()).onCompleted { events.record("completed") }.onError { _ in events.record("error") }
            .onCanceled { events.record("canceled") }.defer { events.record("defer") }
        await wire.clock.sleeping(3)
        let second = Task { try await chain.process() }
        await until { events.values.count == 2 }
        await wire.clock.sleeping(3)
        wire.clock.advance(by: .seconds(3))
        try await second.value
        #expect(events.values == ["canceled", "defer"])
    }

    @Test("a call cancelled while it waits is never sent, and the next one is not affected")
    func cancelled() async throws {
        let wire = Wire(statuses: [200])
        let chain = debounced(wire, Debouncer())
        let first = Task { try await chain.process() }
        await wire.clock.sleeping(3)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await wire.clock.sleeping()
        try await wire.clock.running { try await chain.process() }
        #expect(wire.count == 1)
    }

    @Test("a wait cut off by the deadline ends at the deadline, and reports that the call was held back")
    func deadline() async throws {
        let wire = Wire(statuses: [200])
        let chain = wire.chain { $0.debounce("k", for: .seconds(3), in: Debouncer()).set(deadline: .seconds(1)) }
        let error = try await wire.clock.running { await failure { try await chain.process() } }
        #expect(error?.code == .deadlineExceeded)
        // The last node gives the same code, but after the whole wait.
        #expect(error?.node == "PaceNode")
        #expect(wire.clock.now.offset == .seconds(1))
        #expect(wire.count == 0)
    }

    @Test("throttle lets the first call of each interval through and ends the others at once")
    func throttle() async throws {
        let wire = Wire(statuses: [200])
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

    @Test("an interval that is not positive makes each call fail", arguments: [0, -1])
    func invalid(seconds: Int) async throws {
        let wire = Wire(statuses: [200])
        let builder = UrlChainsBuilder<String>(client: wire.client()).route(.get, host)
        let interval = Duration.seconds(seconds)
        for chain in [
            builder.debounce("k", for: interval, in: Debouncer()).build(),
            builder.throttle("k", for: interval, in: Debouncer()).build(),
        ] as [Chain<Void, Void>] {
            #expect(await failure { try await chain.process() }?.code == .invalidChain)
        }
    }
}
