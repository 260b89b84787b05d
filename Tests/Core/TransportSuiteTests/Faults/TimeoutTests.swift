import TestSupport

@Suite("Every transport: timeouts below a second", .timeLimit(.minutes(10)), .paced)
struct TimeoutTests {
    static let fast = Duration.milliseconds(150)
    static let slow = Duration.seconds(230)

    /// A total may strike anywhere when the machine is busy.
    private static let early: Set<TransportError.Phase> = [.wait, .send, .connect, .queue, .resolve, .tls]

    /// What the server does, the limit that is met by it, and where the exchange stood.
    static let cases: [(fault: LoopbackFault, limits: Timeouts, phases: Set<TransportError.Phase>)] = [
        (.stall(.beforeStatus), Timeouts(connect: slow, firstByte: fast, idle: slow), [.wait]),
        (.stall(.inBody(3)), Timeouts(connect: slow, firstByte: slow, idle: fast), [.receive]),
        (.stall(.beforeStatus), Timeouts(phases: slow, total: fast), early),
        (.stall(.inHeaders), Timeouts(phases: slow, total: fast), early.union([.receive])),
        (.drip(1), Timeouts(phases: slow, total: .milliseconds(400)), early.union([.receive])),
    ]

    @Test("ends at the limit, not before and not much later", arguments: Subject.wires, cases)
    func limit(
        _ subject: Subject,
        _ limit: (fault: LoopbackFault, limits: Timeouts, phases: Set<TransportError.Phase>)
    ) async throws {
        let content = String(repeating: "x", count: 20_000)
        let peer = try Peer(subject, .text(content).fault(limit.fault))
        let start = ContinuousClock.now
        let error = await #expect(throws: TransportError.self) { try await peer.send(timeouts: limit.limits) }
        let taken = start.duration(to: .now)
        #expect(error?.code == .timedOut)
        #expect(error.map { limit.phases.contains($0.phase) } == true, "\(String(describing: error))")
        #expect(error?.isSafeToResend == error?.phase.isBeforeSending)
        let shortest = [limit.limits.firstByte, limit.limits.idle, limit.limits.total].compactMap(\.self).min()
        #expect(taken >= shortest ?? .zero)
        #expect(taken < .seconds(220))
        #expect((error?.timings.total ?? .zero) >= shortest ?? .zero)
        // Over HTTP/3 libcurl 8.23 may tell the server late: Docs/Transports.md.
        if subject != .http3 { try await peer.waitForLoss() }
    }

    @Test("lets a body that never pauses for long take as long as it wants", arguments: Subject.wires)
    func drip(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text(String(repeating: "x", count: 60)).fault(.drip(1)))
        let limits = Timeouts(connect: Self.slow, firstByte: Self.slow, idle: .seconds(20))
        #expect(try await peer.outcome(timeouts: limits) == .response(200, String(repeating: "x", count: 60)))
    }

    @Test("ends a connection attempt without a response", arguments: Subject.direct)
    func connect(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        try peer.server().onConnect { _ in .stall }
        #expect(try await peer.outcome(timeouts: Timeouts(phases: Self.fast)) == .failure(.timedOut))
    }

    @Test("counts the wait for a place towards the total", arguments: Subject.direct)
    func queue(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("x").fault(.stall(.beforeStatus)), isFresh: true)
        // One more than any transport lets run at a time.
        let running = (0..<64).map { index in Task { await Outcome { try await peer.send(.get, "/\(index)") } } }
        let places = subject == .urlSession ? 6 : 64
        try await peer.server().wait { $0.stalls >= places }
        let error = await #expect(throws: TransportError.self) {
            try await peer.send(timeouts: Timeouts(total: Self.fast))
        }
        #expect(error?.code == .timedOut && error?.phase == .queue && error?.isSafeToResend == true)
        #expect((error?.timings.queue ?? .zero) > .zero)
        #expect(peer.seen.count == places)
        for call in running { call.cancel() }
        for call in running { #expect(await call.value == .cancelled) }
    }

    @Test("sets no limit if there is none, and refuses zero", arguments: Subject.all)
    func none(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("x").delayed(by: .milliseconds(20)))
        #expect(try await peer.outcome(timeouts: Timeouts(phases: nil)) == .response(200, "x"))
        let huge = Timeouts(total: .seconds(Int64.max))
        #expect(try await peer.outcome(timeouts: huge) == .response(200, "x"))
        for (phase, limit) in PhaseLimit.allCases.flatMap({ [($0, .zero), ($0, Duration.seconds(-1))] }) {
            var timeouts = Timeouts()
            timeouts[phase] = limit
            #expect(try await peer.outcome(timeouts: timeouts) == .failure(.invalidRequest))
        }
    }

    @Test("limits a mock's response time like a server's", arguments: Subject.all)
    func delayed(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("x").delayed(by: .seconds(50)))
        #expect(try await peer.outcome(timeouts: Timeouts(firstByte: Self.fast)) == .failure(.timedOut))
        #expect(try await peer.outcome(timeouts: Timeouts(total: Self.fast)) == .failure(.timedOut))
    }
}
