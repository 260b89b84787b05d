import TestSupport

@Suite("Every transport: cancellation", .timeLimit(.minutes(10)), .paced)
struct CancellationTests {
    @Test("throws before anything is sent if the task is already cancelled", arguments: Subject.all)
    func before(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        let gate = LoopbackGate()
        let call = Task {
            try? await gate.wait()
            return await Outcome { try await peer.send() }
        }
        call.cancel()
        #expect(await call.value == .cancelled)
        #expect(peer.seen.isEmpty)
    }

    static let points: [LoopbackFault.Point] = [.beforeStatus, .inHeaders, .inBody(5)]

    // Over HTTP/3 libcurl 8.23 may tell the server late: Docs/Transports.md.
    @Test("ends the call, and its connection or its stream", arguments: Subject.direct, points)
    func during(_ subject: Subject, _ point: LoopbackFault.Point) async throws {
        for body in [RequestBody.empty, .bytes(Data("x".utf8))] {
            let peer = try Peer(subject, .text("0123456789").fault(.stall(point)))
            let server = try peer.server()
            let call = Task { await Outcome { try await peer.send(.post, body: body) } }
            try await server.wait { $0.stalls == 1 }
            call.cancel()
            #expect(await call.value == .cancelled)
            try await peer.waitForLoss()
            #expect(server.counts.requests == 1)
        }
    }

    @Test("ends a call that waits for its connection", arguments: Subject.direct)
    func connecting(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        let server = try peer.server()
        server.onConnect { _ in .stall }
        let call = Task { await Outcome { try await peer.send() } }
        try await server.wait { $0.connections == 1 }
        call.cancel()
        #expect(await call.value == .cancelled)
        try await server.wait { $0.open == 0 }
    }

    @Test("ends a call while its body is sent", arguments: Subject.wires)
    func sending(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        let server = try peer.server()
        let begun = LoopbackGate()
        let never = LoopbackGate()
        let body = RequestBody.stream {
            AsyncThrowingStream<Data, any Error>(unfolding: {
                begun.open()
                try await never.wait()
                return nil
            })
        }
        let call = Task { await Outcome { try await peer.send(.post, body: body) } }
        try await begun.wait()
        // A stream that has not begun for the server does not end for it either.
        if subject == .http2 { try await server.wait { $0.heads == 1 } }
        call.cancel()
        #expect(await call.value == .cancelled)
        // Two, where the connection has no settings of the server yet and goes with the stream.
        try await server.wait { subject == .http2 ? $0.clientResets >= 1 : $0.open == 0 }
        #expect(server.counts.requests == 0)
    }

    @Test("ends a call that waits for a place, and lets the others run", arguments: Subject.direct)
    func queued(_ subject: Subject) async throws {
        let gate = LoopbackGate()
        let peer = try Peer(subject, .text("x").fault(.stall(.beforeStatus, until: gate)), isFresh: true)
        let places = subject == .urlSession ? 6 : 64
        let running = (0..<places).map { _ in Task { await Outcome { try await peer.send() } } }
        try await peer.server().wait { $0.stalls == places }
        let waiting = (0..<20).map { _ in Task { await Outcome { try await peer.send() } } }
        for call in waiting.prefix(10) { call.cancel() }
        for call in waiting.prefix(10) { #expect(await call.value == .cancelled) }
        #expect(peer.seen.count == places)
        gate.open()
        for call in running + waiting.suffix(10) { #expect(await call.value == .response(200, "x")) }
        #expect(peer.seen.count == places + 10)
    }

    @Test("ends the transfer when a stream is released or its reader is cancelled", arguments: Subject.direct)
    func stream(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("0123456789").fault(.stall(.inBody(5))))
        let server = try peer.server()
        do {
            for try await chunk in try await peer.send(delivery: .stream).stream() {
                #expect(!chunk.isEmpty)
                break
            }
        }
        try await peer.waitForLoss()
        let response = try await peer.send(delivery: .stream)
        let reader = Task { await Outcome { response } }
        try await server.wait { $0.stalls == 2 }
        reader.cancel()
        #expect(await reader.value == .cancelled)
        try await peer.waitForLoss(of: 2)
    }

    @Test("ends every one of many calls exactly once, in any phase", arguments: Subject.wires)
    func storm(_ subject: Subject) async throws {
        let peer = try Peer(subject) { seen in
            switch seen.body.count % 4 {
            case 0: .text("fine")
            case 1: .text(String(repeating: "x", count: 50_000))
            case 2: .text("moved", status: 302).header("Location", "/next")
            default: .text("who?", status: 401).header("WWW-Authenticate", "Basic realm=\"x\"")
            }
        }
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let call = Task {
                        await Outcome { try await peer.send(.put, body: .bytes(Data(count: index % 4))) }
                    }
                    for _ in 0..<(index * 7 % 50) { await Task.yield() }
                    if index % 3 != 0 { call.cancel() }
                    return await call.value
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 200)
        for outcome in outcomes {
            switch outcome {
            case .cancelled, .response: break
            default: Issue.record("\(outcome)")
            }
        }
        #expect(try await peer.outcome() == .response(200, "fine"))
    }
}
