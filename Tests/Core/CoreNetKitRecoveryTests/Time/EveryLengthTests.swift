import TestSupport

/// Each length setting with zero, a nanosecond and for ever: the call ends, and the program lives.
@Suite("Lengths from zero to for ever", .timeLimit(.minutes(10)), .paced)
struct EveryLengthTests {
    static let forever = Duration.seconds(Int64.max)
    static let lengths: [Duration] = [.zero, .nanoseconds(1), forever]

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The expected ends for the three lengths.
        let ends: [String]
        let run: @Sendable (Duration) async throws -> String

        init(_ name: String, _ ends: [String], _ run: @escaping @Sendable (Duration) async throws -> String) {
            (testDescription, self.ends, self.run) = (name, ends, run)
        }
    }

    static let invalid = "invalidChain"
    static let late = "deadlineExceeded"
    static let rows = deadlines + repetitions + limits + tokens

    @Test("a length of zero, of a nanosecond and for ever never traps, and each ends", arguments: rows)
    func table(row: Row) async throws {
        for (length, end) in zip(Self.lengths, row.ends) {
            #expect(try await row.run(length) == end, "\(length)")
        }
    }

    /// How a call ended, in a word.
    private static func outcome(_ call: () async throws -> Void) async -> String {
        do {
            try await call()
            return "done"
        } catch let error as NetworkError {
            return "\(error.code)"
        } catch {
            return "\(error)"
        }
    }

    private typealias Builder = UrlChainsBuilder<String>

    private static func call(_ wire: Wire, _ verbs: (Builder) -> Builder) async -> String {
        let chain = wire.chain(.get, host, verbs)
        return await outcome { try await chain.process() }
    }

    /// The end of the second of two calls.
    private static func second(
        _ wire: Wire = Wire(statuses: [200]),
        _ verbs: (Builder) -> Builder
    ) async throws -> String {
        _ = await call(wire, verbs)
        return try await running(wire, verbs)
    }

    /// Runs the call; each wait ends by the virtual clock.
    private static func running(
        _ wire: Wire,
        sleepers: Int = 1,
        _ verbs: (Builder) -> Builder
    ) async throws -> String {
        try await wire.clock.running(sleepers: [sleepers]) { await call(wire, verbs) }
    }

    /// A call that waits for something else, which comes if the call waits for ever, and does not come if it ends.
    private static func waiting(
        _ wire: Wire,
        _ chain: Chain<Void, Void>,
        _ length: Duration,
        waits: @Sendable () -> Bool,
        open: () -> Void
    ) async throws -> String {
        guard length == forever else {
            return try await wire.clock.running { await outcome { try await chain.process() } }
        }
        let task = Task { await outcome { try await chain.process() } }
        await until(waits)
        open()
        return await task.value
    }
}

// MARK: - Deadlines

extension EveryLengthTests {
    private static let deadlines: [Row] = [
        Row("deadline", [late, "done", "done"]) { length in
            await call(Wire(statuses: [200])) { $0.set(deadline: length) }
        },
        Row("deadline, waiting for a place", [late, late, "done"]) { length in
            let gate = Gate()
            let wire = Wire(behind: gate)
            let limiter = ConcurrencyLimiter(total: 1)
            let holder = Task { await call(wire) { $0.limit(limiter).set(deadline: nil) } }
            await gate.arrived(1)
            let chain = wire.chain { $0.limit(limiter).set(deadline: length) }
            let end = try await waiting(wire, chain, length, waits: { limiter.callsWaiting == 1 }, open: gate.open)
            gate.open()
            #expect(await holder.value == "done")
            return end
        },
        Row("deadline, waiting for a token", [late, late, "done"]) { length in
            let gate = Gate()
            let refresher = TokenRefresher(origins: [host]) { _ in
                try await gate.pass()
                return AccessToken("t")
            }
            let wire = Wire(statuses: [200])
            let chain = wire.chain { $0.authorize(refresher).set(deadline: length) }
            let end = try await waiting(wire, chain, length, waits: { refresher.callsWaiting == 1 }, open: gate.open)
            gate.open()
            return end
        },
        Row("deadline, waiting for an equal request", [late, late, "done"]) { length in
            let gate = Gate()
            let wire = Wire(behind: gate)
            let client = wire.client()
            let builder = Builder(client: client).coalesce().route(.get, host)
            let first: Chain<Void, Void> = builder.set(deadline: nil).build()
            let second: Chain<Void, Void> = builder.set(deadline: length).build()
            let holder = Task { await outcome { try await first.process() } }
            await gate.arrived(1)
            let end = try await waiting(wire, second, length, waits: { client.callsCoalesced == 2 }, open: gate.open)
            gate.open()
            #expect(await holder.value == "done")
            return end
        },
        Row("limits of the wire", ["invalidRequest", "done", "done"]) { length in
            let mock = MockTransport(clock: ManualClock())
            mock.on(.get, "/") { _ in .status(200) }
            let chain = Client(transport: mock).chain { $0.set(timeouts: Timeouts(phases: length, total: length)) }
            return await outcome { try await chain.process() }
        },
    ]
}

// MARK: - Repetitions and pace

extension EveryLengthTests {
    private static func retried(
        _ policy: RetryPolicy,
        deadline: Duration? = nil,
        headers: Headers = [:]
    ) async throws -> String {
        let wire = Wire(statuses: [503, 200], headers: headers)
        return try await running(wire) { $0.retry(policy).set(deadline: deadline) }
    }

    private static let repetitions: [Row] = [
        Row("decide", ["done", "done", "done"]) { length in
            try await retried(RetryPolicy(decide: { _, _ in length }))
        },
        Row("decide, within a deadline", ["done", "done", "unacceptableStatus"]) { length in
            try await retried(RetryPolicy(decide: { _, _ in length }), deadline: .seconds(60))
        },
        Row("decide, both", [late, "unacceptableStatus", "unacceptableStatus"]) { length in
            try await retried(RetryPolicy(decide: { _, _ in length }), deadline: length)
        },
        Row("back-off", [invalid, "done", "done"]) { length in
            try await retried(RetryPolicy(backoff: .exponential(base: length, cap: length)))
        },
        Row("cap of the back-off", [invalid, invalid, "done"]) { length in
            try await retried(RetryPolicy(backoff: .exponential(cap: length)))
        },
        Row("longest Retry-After", ["unacceptableStatus", "unacceptableStatus", "done"]) { length in
            let policy = RetryPolicy(longestRetryAfter: length)
            return try await retried(policy, headers: ["Retry-After": "99999999999999999999"])
        },
        Row("debounce", [invalid, "done", "done"]) { length in
            try await running(Wire(statuses: [200])) {
                $0.debounce("a", for: length, in: Debouncer()).set(deadline: nil)
            }
        },
        Row("debounce, within a deadline", [invalid, "done", late]) { length in
            try await running(Wire(statuses: [200])) { $0.debounce("a", for: length, in: Debouncer()) }
        },
        Row("throttle, the second call", [invalid, "CancellationError()", "CancellationError()"]) { length in
            let debouncer = Debouncer()
            return try await second { $0.throttle("a", for: length, in: debouncer) }
        },
        Row("hedge", [invalid, "done", "done"]) { length in
            let clock = ManualClock()
            let wire = Wire(clock) { _, request in
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
                return .init(status: 200, url: request.url)
            }
            return try await running(wire, sleepers: 2) { $0.hedge(after: length).set(deadline: nil) }
        },
    ]
}

// MARK: - Limits and tokens

extension EveryLengthTests {
    private static let limits: [Row] = [
        Row("rate, the second call", [invalid, "done", "rateLimited"]) { length in
            let limiter = RateLimiter(1, per: length)
            return try await second { $0.rate(limiter) }
        },
        Row("rate with a burst", [invalid, "done", "done"]) { length in
            let limiter = RateLimiter(1, per: length, burst: .max)
            return try await second { $0.rate(limiter) }
        },
        Row("pause of a breaker, the second call", [invalid, "circuitOpen", "circuitOpen"]) { length in
            let breaker = CircuitBreaker(minimumCalls: 1, pause: length)
            return try await second(Wire(statuses: [503])) { $0.breaker(breaker) }
        },
        Row("window of a breaker, the second call", [invalid, "circuitOpen", "circuitOpen"]) { length in
            let breaker = CircuitBreaker(minimumCalls: 1, window: length)
            return try await second(Wire(statuses: [503])) { $0.breaker(breaker) }
        },
    ]

    private static func authorized(_ refresher: TokenRefresher, times: Int = 1) async throws -> String {
        let wire = Wire { _, request in
            .init(status: request.headers["Authorization"] == nil ? 401 : 200, url: request.url)
        }
        var end = ""
        for _ in 0..<times {
            // The clock stands: none of these lengths passes before a refresh that is immediate.
            end = await call(wire) { $0.authorize(refresher).set(deadline: nil) }
        }
        return end
    }

    private static let tokens: [Row] = [
        Row("margin of a token", ["done", "done", "done"]) { length in
            let expires = Date.billennium.addingTimeInterval(3600)
            let token = AccessToken("t", expires: expires)
            let refresher = TokenRefresher(token: token, origins: [host], margin: length) { _ in token }
            return try await authorized(refresher, times: 2)
        },
        Row("timeout of a refresh", [invalid, "done", "done"]) { length in
            let refresher = TokenRefresher(origins: [host], timeout: length) { _ in AccessToken("t") }
            return try await authorized(refresher)
        },
        Row("cool-down of a refresh", ["tokenRefreshFailed", "tokenRefreshFailed", "tokenRefreshFailed"]) { length in
            let refresher = TokenRefresher(origins: [host], coolDown: length) { _ in throw CocoaError(.fileNoSuchFile) }
            return try await authorized(refresher, times: 2)
        },
    ]
}
