import TestSupport

/// What reaches the wire: the rest of the deadline is the exchange's total limit.
@Suite("A deadline that nested calls inherit", .timeLimit(.minutes(10)), .paced)
struct InheritedDeadlineTests {
    let wire = Wire(statuses: [200])

    private func chain(
        _ path: String = "/inner",
        _ change: (UrlChainsBuilder<String>) -> UrlChainsBuilder<String> = { $0 }
    ) -> Chain<Void, Void> { wire.chain(.get, host + path, change) }

    private func nesting(
        _ builder: UrlChainsBuilder<String>,
        at position: ChainPosition = .call,
        _ inner: @escaping @Sendable () async throws -> Void
    ) -> UrlChainsBuilder<String> {
        builder.insert(at: position, scope: .none) { AnyNode("Nesting", before: $0) { _, _ in try await inner() } }
    }

    /// A call that makes another call on its way.
    private func outer(
        deadline: Duration?,
        _ inner: @escaping @Sendable () async throws -> Void
    ) -> Chain<Void, Void> {
        chain("/outer") { builder in nesting(deadline.map { builder.set(deadline: $0) } ?? builder, inner) }
    }

    /// How long each request may take, by its path.
    private var totals: [String: Duration?] {
        Dictionary(wire.entries.map { ($0.request.url.path, $0.request.timeouts.total) }) { $1 }
    }

    @Test("no call inside a call of 5 s ends later, however long its own deadline is, and a shorter one holds")
    func nested() async throws {
        let inner: [(Duration?, Duration)] = [
            (nil, .seconds(5)), (.seconds(30), .seconds(5)), (.seconds(2), .seconds(2)), (.seconds(5), .seconds(5)),
        ]
        for (own, expected) in inner {
            let nested = chain { builder in own.map { builder.set(deadline: $0) } ?? builder }
            try await outer(deadline: .seconds(5)) { try await nested.process() }.process()
            #expect(totals == ["/outer": .seconds(5), "/inner": expected])
        }
    }

    @Test("the remaining time is inherited, at any depth, and by observers too")
    func remaining() async throws {
        let clock = wire.clock
        let innermost = chain("/innermost") { $0.set(deadline: .seconds(30)) }
        let middle = outer(deadline: .seconds(20)) {
            clock.advance(by: .seconds(1))
            try await (innermost.process() as Observer<Void>).value
        }
        let observed = outer(deadline: .seconds(5)) {
            clock.advance(by: .seconds(1))
            try await middle.process()
        }
        try await observed.process()
        #expect(wire.entries.map(\.request.timeouts.total) == [.seconds(3), .seconds(3), .seconds(3)])
    }

    @Test("a default deadline is not passed on")
    func standard() async throws {
        let nested = chain { $0.set(deadline: .seconds(120)) }
        try await outer(deadline: nil) { try await nested.process() }.process()
        #expect(totals == ["/outer": .seconds(60), "/inner": .seconds(120)])
    }

    @Test("several successive calls share one limit, whatever clock they use")
    func within() async throws {
        let clock = wire.clock
        let chain = chain()
        try await CallClock(clock).within(.seconds(5)) {
            try await chain.process()
            clock.advance(by: .seconds(4))
            try await chain.process()
            // The inner limit does not lengthen the outer one.
            try await CallClock(clock).within(.seconds(30)) { try await chain.process() }
            clock.advance(by: .seconds(1))
            let late = await chain.failure
            #expect(late?.code == .deadlineExceeded)
        }
        try await chain.process()
        let expected: [Duration] = [.seconds(5), .seconds(1), .seconds(1), .seconds(60)]
        #expect(wire.entries.map(\.request.timeouts.total) == expected)
    }

    @Test("`set(deadline: nil)` leaves it, with everything below; a detached task does too")
    func leaving() async throws {
        let innermost = chain("/innermost") { $0.set(deadline: .seconds(30)) }
        let free = chain("/free") { nesting($0.set(deadline: nil)) { try await innermost.process() } }
        let detached = chain("/detached")
        try await outer(deadline: .seconds(5)) {
            try await free.process()
            try await Task.detached { try await detached.process() }.value
        }.process()
        let inherited: [String: Duration?] = ["/outer": .seconds(5), "/free": nil]
        #expect(totals == inherited.merging(["/innermost": .seconds(30), "/detached": .seconds(60)]) { $1 })
    }

    @Test("slow content has no deadline of its own, and inherits one")
    func streams() async throws {
        let builder = UrlChainsBuilder<String>(client: wire.client()).route(.get, host + "/stream")
        let chain: Chain<Void, ResponseStream> = builder.loadStream()
        _ = try await chain.process() as ResponseStream
        #expect(totals == ["/stream": nil])
        try await CallClock(wire.clock).within(.seconds(90)) {
            _ = try await chain.process() as ResponseStream
        }
        #expect(totals == ["/stream": .seconds(90)])
    }

    @Test("the refresh of a token is shared, and starts without the deadline of the call that needs it")
    func refresh() async throws {
        let login = chain("/login") { $0.set(deadline: .seconds(30)) }
        let refresher = TokenRefresher(origins: [host]) { _ in
            try await login.process()
            return AccessToken("t")
        }
        let call = chain("/call") { $0.authorize(refresher).set(deadline: .seconds(5)) }
        try await call.process()
        #expect(totals == ["/call": .seconds(5), "/login": .seconds(30)])
    }

    @Test("an exchange shared by equal requests starts without the leader's deadline")
    func coalesced() async throws {
        let nested = chain { $0.set(deadline: .seconds(30)) }
        let call = chain("/call") {
            nesting($0.coalesce().set(deadline: .seconds(5)), at: .exchange) { try await nested.process() }
        }
        try await call.process()
        #expect(totals == ["/call": .seconds(5), "/inner": .seconds(30)])
    }
}

@Suite("The clock of calls", .timeLimit(.minutes(10)), .paced)
struct CallClockTests {
    @Test(
        "an endless wait traps on no clock, and ends with its task",
        arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) + .seconds(Int64.max)]
    )
    func forever(length: Duration) async {
        for clock in [CallClock.continuous, CallClock(SuspendingClock()), CallClock(ManualClock())] {
            // The task looks at its length before it looks at its end.
            let task = Task { try await clock.sleep(until: clock.now + length) }
            for _ in 0..<10 { await Task.yield() }
            await cancel(task)
        }
    }

    @Test(
        "a wait until a past time returns at once, however long ago",
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)]
    )
    func past(time: Duration) async throws {
        for clock in [CallClock.continuous, CallClock(SuspendingClock()), CallClock(ManualClock())] {
            try await clock.sleep(until: time)
        }
    }
}
