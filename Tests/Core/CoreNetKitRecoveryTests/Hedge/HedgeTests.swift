import TestSupport

@Suite("Hedged requests", .timeLimit(.minutes(10)), .paced)
struct HedgeTests {
    /// Each request takes its own time, on the virtual clock; `nil` never responds.
    private func wire(_ latencies: [Duration?], statuses: [Int] = [200], ended: Recorder<Int>) -> Wire {
        let clock = ManualClock()
        return Wire(clock) { index, request in
            do {
                let latency = latencies[min(index, latencies.count - 1)] ?? .seconds(86400)
                try await clock.sleep(until: clock.now.advanced(by: latency))
            } catch {
                ended.record(index)
                throw error
            }
            let status = statuses[min(index, statuses.count - 1)]
            return .init(status: status, body: .bytes(Data("\(index)".utf8)), url: request.url)
        }
    }

    private func chain(
        _ wire: Wire,
        _ hedger: Hedger,
        method: HTTPMethod = .get,
        budget: RetryBudget = RetryBudget()
    ) -> Chain<Void, String> {
        UrlChainsBuilder<String>(client: wire.client(budget: budget))
            .hedge(hedger).set(deadline: nil).route(method, host).build()
    }

    @Test("the second request is sent after the delay, the first response wins, the other is cancelled on the wire")
    func secondWins() async throws {
        let ended = Recorder<Int>()
        let wire = wire([.seconds(10), .seconds(1)], ended: ended)
        let chain = chain(wire, Hedger(after: .fixed(.seconds(2))))
        let reply = try await wire.clock.running(sleepers: [2]) { try await chain.process() }
        #expect(reply == "1")
        #expect(wire.times == [.zero, .seconds(2)])
        #expect(wire.clock.now.offset == .seconds(3))
        await until { ended.values == [0] }
    }

    @Test("a fast response sends nothing more")
    func fast() async throws {
        let ended = Recorder<Int>()
        let wire = wire([.seconds(1)], ended: ended)
        let chain = chain(wire, Hedger(after: .fixed(.seconds(2))))
        _ = try await wire.clock.running(sleepers: [2]) { try await chain.process() }
        #expect(wire.count == 1)
        #expect(wire.clock.sleepers.isEmpty)
    }

    @Test("a failure waits for the request that is still running; of two failures the first counts")
    func failures() async throws {
        let ended = Recorder<Int>()
        let mixed = wire([.seconds(3), .seconds(2)], statuses: [500, 200], ended: ended)
        let first = chain(mixed, Hedger(after: .fixed(.seconds(2))))
        #expect(try await mixed.clock.running(sleepers: [2, 2, 1]) { try await first.process() } == "1")

        let both = wire([.seconds(3), .seconds(2)], statuses: [500, 404], ended: ended)
        let second = chain(both, Hedger(after: .fixed(.seconds(2))))
        // Step by step: the first failure must be known before time moves on to the second.
        let executor = WorldExecutor(Dice(seed: 1), isThreaded: false)
        let call = Task(executorPreference: executor) { await failure { _ = try await second.process() } }
        executor.runUntilIdle()
        while let next = both.clock.sleepers.first {
            both.clock.advance(to: next)
            executor.runUntilIdle()
        }
        #expect(await call.value?.status == 500)

        let early = wire([.seconds(1)], statuses: [500], ended: ended)
        let third = chain(early, Hedger(after: .fixed(.seconds(2))))
        #expect(
            try await early.clock.running(sleepers: [2]) { await failure { _ = try await third.process() } }?.status
                == 500
        )
        #expect(early.count == 1)
    }

    @Test(
        "only safe methods are hedged",
        arguments: [
            (HTTPMethod.get, 2), (.head, 2), (.options, 2), (.post, 1), (.put, 1), (.delete, 1),
            (.patch, 1),
        ]
    )
    func methods(method: HTTPMethod, count: Int) async throws {
        let wire = wire([.seconds(5)], ended: Recorder())
        let chain = chain(wire, Hedger(after: .fixed(.seconds(2))), method: method)
        _ = try await wire.clock.running(sleepers: [count]) { try await chain.process() }
        #expect(wire.count == count)
    }

    @Test("an exhausted budget sends no second request")
    func budget() async throws {
        let wire = wire([.seconds(5)], ended: Recorder())
        let chain = chain(wire, Hedger(after: .fixed(.seconds(2))), budget: RetryBudget(ratio: 0, floor: 0))
        _ = try await wire.clock.running(sleepers: [2, 1]) { try await chain.process() }
        #expect(wire.count == 1)
    }

    @Test("a percentile is learned: nothing is hedged before, then what is slower than its share")
    func percentile() async throws {
        let latencies = (0..<20).map { Duration.seconds($0 == 5 ? 9 : 1) } + [.seconds(9), .milliseconds(100)]
        let wire = wire(latencies, ended: Recorder())
        let chain = chain(wire, Hedger(after: .percentile(0.5)))
        for _ in 0..<20 { _ = try await wire.clock.running { try await chain.process() } }
        #expect(wire.count == 20)
        let start = wire.clock.now.offset
        #expect(try await wire.clock.running(sleepers: [2]) { try await chain.process() } == "21")
        #expect(wire.times.suffix(2) == [start, start + .seconds(1)])
    }

    @Test("cancelling the call cancels both requests")
    func cancelled() async throws {
        let ended = Recorder<Int>()
        let wire = wire([nil], ended: ended)
        let chain = chain(wire, Hedger(after: .fixed(.seconds(2))))
        let call = Task { try await chain.process() }
        await wire.clock.sleeping(2, 86400)
        wire.clock.advance(by: .seconds(2))
        await until { wire.count == 2 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        await until { ended.values.sorted() == [0, 1] }
    }

    @Test("invalid delays make each call fail")
    func invalid() async throws {
        for delay in [Hedger.Delay.fixed(.zero), .percentile(0), .percentile(1), .percentile(.nan)] {
            let wire = wire([.zero], ended: Recorder())
            let chain = chain(wire, Hedger(after: delay))
            #expect(await failure { _ = try await chain.process() }?.code == .invalidChain)
        }
    }

    @Test("a loser that continues after its attempt sends nothing more, and leaves the call's record intact")
    func lateLoser() async throws {
        let responded = Signal()
        let wire = Wire { index, request in
            guard index == 0 else { return .init(status: 200, url: request.url) }
            // Ignores its cancellation, like a server whose response is on its way.
            await Task.detached { await responded.wait() }.value
            return .init(status: 302, headers: ["Location": "/there"], url: request.url)
        }
        let records = Recorder<CallRecord>()
        let ends = Recorder<HTTPMethod>()
        let client = wire.client().retry(RetryPolicy(limit: 1)).hedge(after: .seconds(2))
            .record(to: ClosureCallSink { records.record($0) })
            .insert(at: .call, scope: .none) { next in
                AnyNode("Late", successors: [next]) { request, context in
                    let response = try await next.process(request, context: context)
                    responded.signal()
                    await until { ends.values.count == 2 }
                    return response
                }
            }
            .insert(at: .attempt, scope: .none) { next in
                AnyNode("Ends", successors: [next]) { request, context in
                    defer { ends.record(request.method) }
                    return try await next.process(request, context: context)
                }
            }
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).set(deadline: nil).route(.get, host)
            .build()
        try await wire.clock.running { try await chain.process() }
        await client.flushRecords()
        #expect(wire.count == 2)
        #expect(records.values.count == 1)
        #expect(records.values.flatMap(\.problems) == [])
    }
}
