import CoreNetKitSockets
import TestSupport

@Suite("Sockets connect again", .timeLimit(.minutes(10)), .paced)
struct SocketReconnectionTests {
    /// Options where time passes whenever somebody waits: a slow peer must not count as a dead one.
    private static func repeated(_ options: inout SocketOptions) {
        (options.reconnection, options.keepAlive) = (.standard, nil)
    }

    @Test("after a break, and send their first messages before anything else")
    func resumes() async throws {
        let line = Line(
            .socket { peer in
                try await peer.expect(text: "hello 0 nil")
                peer.send(text: "one")
                peer.drop()
            },
            .status(503, headers: ["Retry-After": "90"]),
            .socket { peer in
                try await peer.expect(text: "hello 2 1006")
                try await peer.expect(text: "mine")
                peer.send(text: "two")
            }
        )
        let chain = line.texts { $0.reconnection = .standard }.resuming { resume in
            ["hello \(resume.reconnects) \(resume.lastClose.map { "\($0.code)" } ?? "nil")"]
        }
        let socket = try await chain.process()
        #expect(try await socket.next() == "one")
        let second = Task { try await socket.next() }
        await until { if case .waiting = socket.state { true } else { false } }
        let sending = Task { try await socket.send("mine") }
        try await line.clock.advanceToNextSleeper()
        await until { if case .waiting(.seconds(90)) = socket.state { true } else { false } }
        try await line.clock.advanceToNextSleeper()
        #expect(try await second.value == "two")
        try await sending.value
        #expect(try await socket.next() == nil)
        #expect(line.clock.now.offset > .seconds(90) && line.clock.now.offset <= .seconds(91))
        #expect(socket.statistics.reconnects == 2)
    }

    @Test("and send their first messages when all that had come before has been read: nothing is asked for twice")
    func resumesBehindTheReader() async throws {
        let line = Line { peer in
            for number in 1...5 { peer.send(text: "\(number)") }
            peer.drop()
        } then: { peer in
            guard case .text(let text) = try await peer.message(), let first = Int(text) else { return peer.drop() }
            for number in first..<first + 2 { peer.send(text: "\(number)") }
            peer.close()
            try await peer.expectClose()
        }
        let position = Locked(0)
        let chain = line.texts { $0.reconnection = .standard }.resuming { _ in ["\(position.withLock { $0 } + 1)"] }
        let socket = try await chain.process()
        await until { if case .waiting = socket.state { true } else { false } }
        try await line.clock.advanceToNextSleeper()
        var read: [String] = []
        for try await text in socket {
            // A reader that takes its time: the other tasks have had their turn.
            for _ in 0..<100 { await Task.yield() }
            position.withLock { $0 = Int(text) ?? 0 }
            read.append(text)
        }
        #expect(read == (1...7).map { "\($0)" })
    }

    @Test(
        "after some codes, and end with the others",
        arguments: [
            (1001, true), (1011, true), (1012, true), (1013, true), (1014, true), (1000, false), (1005, false),
            (1002, false), (1003, false), (1007, false), (1008, false), (1009, false), (1010, false), (3000, false),
            (4000, false),
        ] as [(UInt16, Bool)]
    )
    func codes(_ code: UInt16, _ reconnects: Bool) async throws {
        let line = Line { peer in
            peer.close(code)
            try await peer.expectClose()
        } then: { _ in
        }
        let socket = try await line.texts(Self.repeated).process()
        _ = await line.clock.passing { await socketFailure { _ = try await socket.collect() } }
        #expect(socket.statistics.reconnects == (reconnects ? 1 : 0))
    }

    @Test("as the caller decides: with a new token, or not at all")
    func decides() async throws {
        let line = Line { peer in
            peer.close(4401)
            try await peer.expectClose()
        } then: { peer in
            peer.close(1011)
            try await peer.expectClose()
        }
        let socket = try await line.builder(line.client.authorize(.counting()))
            .texts(Self.repeated)
            .reconnecting { $0.code == 4401 ? .renewToken : $0.code == 1011 ? .giveUp : nil }
            .process()
        let (error, cause) = await line.clock.passing { await socketFailure { _ = try await socket.collect() } }
        #expect(error?.code == .reportedByServer && cause?.close?.code == .internalError)
        #expect(line.mock.requests.map { $0.headers["Authorization"] } == ["Bearer 1", "Bearer 2"])
    }

    @Test("end with userChanged when another user has signed in, between connections and on an open one")
    func userChanged() async throws {
        let gate = LoopbackGate()
        let line = Line { peer in
            peer.send(text: "a")
            try await gate.wait()
            peer.send(text: "of another")
            try await peer.expectClose()
        }
        let refresher = TokenRefresher(origins: .any) { _ in AccessToken("1") }
        let socket = try await line.builder(line.client.authorize(refresher))
            .texts { $0.reconnection = .standard }.process()
        #expect(try await socket.next() == "a")
        refresher.set(AccessToken("2"), user: "somebody else")
        let (sent, _) = await socketFailure { try await socket.send("x") }
        #expect(sent?.code == .userChanged && sent?.isSafeToResend == true)
        gate.open()
        let (error, _) = await socketFailure {
            let end = try await socket.next()
            #expect(end == nil)
        }
        #expect(error?.code == .userChanged)
        #expect(socket.statistics.reconnects == 0)
    }

    @Test("give up when a handshake fails for good, and after as many failures as they may have")
    func givesUp() async throws {
        let final = Line(.socket { $0.drop() }, .status(403))
        let socket = try await final.texts(Self.repeated).process()
        let (error, _) = await final.clock.passing { await socketFailure { _ = try await socket.collect() } }
        #expect(error?.code == .forbidden)
        let limited = Line(.socket { $0.drop() }, .status(503))
        let other = try await limited.texts { $0 = Stage.options }.process()
        let (last, _) = await limited.clock.passing { await socketFailure { _ = try await other.collect() } }
        #expect(last?.status == 503)
        #expect(other.statistics.reconnects == 3)
    }

    @Test("stop to wait when they are closed or dropped, and tell senders")
    func closedWhileWaiting() async throws {
        let line = Line(.socket { $0.drop() })
        let socket = try await line.texts { $0.reconnection = .standard }.process()
        await until { if case .waiting = socket.state { true } else { false } }
        let sending = Task { await socketFailure { try await socket.send("never") } }
        for _ in 0..<50 { await Task.yield() }
        let close = await socket.close()
        #expect(close.code == .abnormal)
        #expect(await sending.value.0?.isSafeToResend == true)
        #expect(try await socket.collect().isEmpty)
        await until { line.clock.sleepers.isEmpty }
    }

    @Test(
        "wait in a window that doubles up to the cap, not less than the server asks for",
        arguments: [
            (0, nil, 0.0, Duration.milliseconds(100)), (0, nil, 1.0, .seconds(1)), (3, nil, 0.0, .milliseconds(100)),
            (3, nil, 1.0, .seconds(8)), (60, nil, 1.0, .seconds(30)), (0, .seconds(90), 0.5, .seconds(90)),
        ] as [(Int, Duration?, Double, Duration)]
    )
    func backOff(_ failures: Int, _ after: Duration?, _ random: Double, _ expected: Duration) {
        #expect(SocketReconnection.standard.wait(failures: failures, retryAfter: after, random: random) == expected)
    }

    @Test("spread out: hundreds of sockets that a server drops wait for times all over the window")
    func dropped() async throws {
        let line = Line(.socket { $0.drop() })
        var waits: [Duration] = []
        for seed in 0..<300 {
            let client = Client(clock: CallClock(line.clock), seed: UInt64(seed)).set(transport: line.mock)
            let socket = try await line.builder(client).raw { $0.reconnection = .standard }.process()
            await until { if case .waiting = socket.state { true } else { false } }
            guard case .waiting(let wait) = socket.state else { throw CancellationError() }
            waits.append(wait)
        }
        let spread = try #require(waits.max()) - (try #require(waits.min()))
        #expect(spread > .milliseconds(800))
        // No tenth of the window gets more than twice its share.
        let tenths = Dictionary(grouping: waits) { Int($0 / .seconds(1) * 10) }
        #expect(tenths.values.allSatisfy { $0.count < 60 } && tenths.count >= 9)
    }

    @Test("tell what they do")
    func states() async throws {
        let line = Line(.socket { $0.drop() }, .socket { try await $0.expectClose() })
        let socket = try await line.texts { $0.reconnection = .standard }.process()
        await until { if case .waiting = socket.state { true } else { false } }
        var states = socket.states.makeAsyncIterator()
        guard case .waiting = await states.next() else { throw CancellationError() }
        try await line.clock.advanceToNextSleeper()
        await until { socket.state == .open }
        #expect(await states.next() == .open)
        await socket.close()
        #expect(await states.next() == .closed(SocketClose(.normal)))
        #expect(await states.next() == nil)
    }
}
