import TestSupport

@Suite("When it is repeated", .timeLimit(.minutes(10)), .paced)
struct RetryTimeTests {
    private func run(
        _ wire: Wire,
        policy: RetryPolicy = .standard,
        deadline: Duration? = .seconds(60),
        client: Client? = nil
    ) async throws -> NetworkError? {
        let chain = (client ?? wire.client()).chain { $0.retry(policy).set(deadline: deadline) }
        return try await wire.clock.running { await chain.failure }
    }

    @Test("the back-off doubles up to its cap")
    func ceilings() {
        let backoff = RetryPolicy.Backoff.exponential(base: .milliseconds(500), cap: .seconds(20))
        let ceilings = [1, 2, 3, 6, 7, 63, 64, 1000].map { backoff.ceiling(afterFailures: $0) }
        #expect(ceilings == [0.5, 1, 2, 16, 20, 20, 20, 20].map { .seconds($0) })
    }

    @Test("each wait is spread over zero to the ceiling, and a seed repeats it")
    func jitter() async throws {
        var waits: [[Duration]] = []
        for seed in 0..<100 as Range<UInt64> {
            let wire = Wire(statuses: [503])
            _ = try await run(wire, policy: RetryPolicy(limit: 3), client: wire.client(seed: seed))
            waits.append(zip(wire.times.dropFirst(), wire.times).map { $0 - $1 })
        }
        try #require(waits.allSatisfy { $0.count == 3 })
        for index in 0..<3 {
            let ceiling = Duration.milliseconds(500) * (1 << index)
            let column = waits.map { $0[index] }
            #expect(column.allSatisfy { $0 >= .zero && $0 < ceiling })
            let mean = column.reduce(Duration.zero, +) / 100
            #expect(mean > ceiling * 0.35 && mean < ceiling * 0.65)
        }
        let again = Wire(statuses: [503])
        _ = try await run(again, policy: RetryPolicy(limit: 3), client: again.client(seed: 7))
        #expect(zip(again.times.dropFirst(), again.times).map { $0 - $1 } == waits[7])
        #expect(Set(waits).count == 100)
    }

    // `RetryAfterTests` has all forms.
    @Test(
        "Retry-After is the minimum wait, in seconds or as a date; one that cannot be read does not count",
        arguments: [("0", 0), ("7", 7), ("60", 60), ("Sun, 09 Sep 2001 01:46:50 GMT", 10), ("soon", 0)]
    )
    func retryAfter(field: String, seconds: Int) async throws {
        let wire = Wire(statuses: [503, 200], headers: ["Retry-After": field])
        #expect(try await run(wire, deadline: nil) == nil)
        try #require(wire.count == 2)
        let wait = wire.times[1] - wire.times[0]
        #expect(wait >= .seconds(seconds) && wait < .seconds(seconds) + .milliseconds(500))
    }

    @Test("a success that the policy repeats is asked again after Retry-After, and fails the call at the policy's end")
    func polling() async throws {
        let polling = RetryPolicy(limit: 3, statuses: TransientStatus.statuses.union([202]))
        let wire = Wire(statuses: [202, 202, 503, 200], headers: ["Retry-After": "7"])
        #expect(try await run(wire, policy: polling, deadline: nil) == nil)
        #expect(wire.count == 4)
        #expect(zip(wire.times.dropFirst(), wire.times).allSatisfy { $0 - $1 >= .seconds(7) })
        let stuck = Wire(statuses: [202])
        let error = try await run(stuck, policy: polling)
        #expect(error?.code == .unacceptableStatus && error?.status == 202 && error?.history.count == 3)
        let once = Wire(statuses: [202])
        #expect(try await run(once) == nil)
        #expect(stuck.count == 4 && once.count == 1)
    }

    @Test("a POST is not sent again because of a success")
    func pollingPost() async throws {
        let wire = Wire(statuses: [202])
        let chain = wire.chain(.post) { $0.retry(RetryPolicy(statuses: [202])) }
        #expect(await chain.failure?.status == 202)
        #expect(wire.count == 1)
    }

    @Test(
        "a Retry-After beyond the limit ends the call at once and says so",
        arguments: ["61", "99999999999", "99999999999999999999999999", "Sun, 09 Sep 2001 02:46:40 GMT"]
    )
    func excessiveRetryAfter(field: String) async throws {
        let wire = Wire(statuses: [429], headers: ["Retry-After": field])
        let error = try await run(wire, deadline: nil)
        #expect(wire.count == 1)
        #expect(wire.clock.now.offset == .zero)
        #expect(error?.status == 429)
        #expect(error?.message.contains("the server asks to wait") == true)
    }

    @Test("a wait that does not fit into the deadline is not started")
    func deadline() async throws {
        let wire = Wire(statuses: [503], headers: ["Retry-After": "5"])
        let error = try await run(wire, deadline: .seconds(8))
        #expect(wire.count == 2)
        #expect(wire.clock.now.offset < .seconds(6))
        #expect(error?.status == 503)
        #expect(error?.message.contains("would pass the deadline") == true)
    }

    @Test("an attempt gets what the deadline leaves, and no more than its own limit")
    func remaining() async throws {
        let wire = Wire(statuses: [503, 503, 200])
        let chain = wire.chain {
            $0.retry(RetryPolicy(decide: { _, _ in .seconds(4) })).set(deadline: .seconds(10))
                .set(timeouts: Timeouts(total: .seconds(5)))
        }
        try await wire.clock.running { try await chain.process() }
        #expect(wire.entries.map(\.request.timeouts.total) == [.seconds(5), .seconds(5), .seconds(2)])
    }

    @Test("an exceeded deadline is not repeated")
    func deadlineExceeded() async throws {
        let clock = ManualClock()
        let wire = Wire(clock) { _, _ in
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            throw TransportError(.timedOut, phase: .wait, message: "scripted")
        }
        let error = try await run(wire, deadline: .seconds(1))
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.phase == .wait)
        #expect(wire.count == 1)
    }

    @Test("a call cancelled while it waits ends as cancelled, and nothing more is sent")
    func cancelled() async throws {
        let wire = Wire(statuses: [503], headers: ["Retry-After": "30"])
        let chain = wire.chain { $0.retry(.standard) }
        let call = chain.start()
        let wait = Duration.seconds(30)..<Duration.seconds(31)
        await until { wire.clock.sleepers.count == 1 && wire.clock.sleepers.allSatisfy { wait.contains($0.offset) } }
        await cancel(call)
        #expect(wire.count == 1)
        #expect(wire.clock.sleepers.isEmpty)
    }

    @Test("in each second there are no more repetitions than the floor and a share of the calls")
    func budget() async throws {
        let wire = Wire(statuses: [503])
        let budget = RetryBudget(ratio: 0.2, floor: 3)
        let client = wire.client(budget: budget)
        let policy = RetryPolicy(limit: 1, decide: { _, _ in .zero })
        var refused = 0
        for _ in 0..<100 {
            let error = try await run(wire, policy: policy, client: client)
            if error?.message.contains("the retry budget is used up") == true { refused += 1 }
        }
        #expect(wire.count == 100 + 20 + 3)
        #expect(refused == 100 - 23)

        // A second later the floor is there again.
        wire.clock.advance(by: .seconds(2))
        for _ in 0..<5 { _ = try await run(wire, policy: policy, client: client) }
        #expect(wire.count == 123 + 5 + 4)
    }

    @Test("a requested wait in the past does not shorten the back-off")
    func past() async throws {
        var waits: [Duration] = []
        for headers: Headers in [[:], ["Retry-After": "Sun, 09 Sep 2001 01:46:30 GMT"]] {
            let wire = Wire(statuses: [503, 200], headers: headers)
            let chain = wire.chain { $0.retry(.standard) }
            try await wire.clock.running { try await chain.process() }
            waits.append(try #require(wire.times.last))
        }
        #expect(waits[0] > .zero)
        #expect(waits[0] == waits[1])
    }
}

@Suite("A retry budget", .paced)
struct RetryBudgetTests {
    @Test("keeps its promise for this second and later ones, and nothing of the past")
    func bounded() {
        let budget = RetryBudget(ratio: 0, floor: 1)
        for second in 0..<1_000 {
            #expect(budget.withdraw(at: .seconds(second), for: .seconds(second + 3)))
            #expect(!budget.withdraw(at: .seconds(second), for: .seconds(second + 3)))
            #expect(budget.secondsKept <= 4)
        }
    }

    @Test("counts each second's repetitions separately")
    func seconds() {
        let budget = RetryBudget(ratio: 0, floor: 2)
        for second in [5, 3, 4, 3, 5, 4] { #expect(budget.withdraw(at: .seconds(3), for: .seconds(second))) }
        for second in 3...5 { #expect(!budget.withdraw(at: .seconds(3), for: .seconds(second))) }
        #expect(budget.secondsKept == 3)
    }
}
