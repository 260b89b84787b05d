import TestSupport

@Suite("Hedged requests", .timeLimit(.minutes(10)), .paced)
struct HedgeTests {
    /// Each request takes its own time, on the virtual clock; `nil` never responds.
    private func wire(_ latencies: [Duration?], statuses: [Int] = [200], ended: Recorder<Int> = Recorder()) -> Wire {
        let clock = ManualClock()
        return Wire(clock) { index, request in
            let latency = latencies[min(index, latencies.count - 1)] ?? .seconds(86400)
            try await ended.record(index) { try await clock.sleep(until: clock.now.advanced(by: latency)) }
            let status = statuses[min(index, statuses.count - 1)]
            return .init(status: status, body: .bytes(Data("\(index)".utf8)), url: request.url)
        }
    }

    private func chain(
        _ wire: Wire,
        _ hedger: Hedger = Hedger(after: .fixed(.seconds(2))),
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
        let chain = chain(wire)
        let reply = try await wire.clock.running(sleepers: [2]) { try await chain.process() }
        #expect(reply == "1")
        #expect(wire.times == [.zero, .seconds(2)])
        #expect(wire.clock.now.offset == .seconds(3))
        await until { ended.values == [0] }
    }

    @Test("a fast response sends nothing more")
    func fast() async throws {
        let wire = wire([.seconds(1)])
        let chain = chain(wire)
        _ = try await wire.clock.running(sleepers: [2]) { try await chain.process() }
        #expect(wire.count == 1)
        #expect(wire.clock.sleepers.isEmpty)
    }

    @Test("a failure waits for the request that is still running; of two failures the first counts")
    func failures() async throws {
        let mixed = wire([.seconds(3), .seconds(2)], statuses: [500, 200])
        let first = chain(mixed)
        #expect(try await mixed.clock.running(sleepers: [2, 2, 1]) { try await first.process() } == "1")

        let both = wire([.seconds(3), .seconds(2)], statuses: [500, 404])
        let second = chain(both)
        // Step by step: the first failure must be known before time moves on to the second.
        let executor = WorldExecutor(Dice(seed: 1), isThreaded: false)
        let call = Task(executorPreference: executor) { await second.failure }
        executor.runUntilIdle()
        while let next = both.clock.sleepers.first {
            both.clock.advance(to: next)
            executor.runUntilIdle()
        }
        #expect(await call.value?.status == 500)

        let early = wire([.seconds(1)], statuses: [500])
        let third = chain(early)
        #expect(try await early.clock.running(sleepers: [2]) { await third.failure }?.status == 500)
        #expect(early.count == 1)
    }

    @Test(
        "only safe methods are hedged",
        arguments: [
            (HTTPMethod.get, 2), (.head, 2), (.options, 2), (.post, 1), (.put, 1), (.delete, 1), (.patch, 1),
        ]
    )
    func methods(method: HTTPMethod, count: Int) async throws {
        let wire = wire([.seconds(5)])
        let chain = chain(wire, method: method)
        _ = try await wire.clock.running(sleepers: [count]) { try await chain.process() }
        #expect(wire.count == count)
    }

    @Test("an exhausted budget sends no second request")
    func budget() async throws {
        let wire = wire([.seconds(5)])
        let chain = chain(wire, budget: RetryBudget(ratio: 0, floor: 0))
        _ = try await wire.clock.running(sleepers: [2, 1]) { try await chain.process() }
        #expect(wire.count == 1)
    }

    @Test("a percentile is learned: nothing is hedged before, then what is slower than its share")
    func percentile() async throws {
        let latencies = (0..<20).map { Duration.seconds($0 == 5 ? 9 : 1) } + [.seconds(9), .milliseconds(100)]
        let wire = wire(latencies)
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
        let chain = chain(wire)
        let call = chain.start()
        await wire.clock.sleeping(2, 86400)
        wire.clock.advance(by: .seconds(2))
        await until { wire.count == 2 }
        await cancel(call)
        await until { ended.values.sorted() == [0, 1] }
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
        try await wire.clock.running { try await client.chain { $0.set(deadline: nil) }.process() }
        await client.flushRecords()
        #expect(wire.count == 2)
        #expect(records.values.count == 1)
        #expect(records.values.flatMap(\.problems) == [])
    }
}
