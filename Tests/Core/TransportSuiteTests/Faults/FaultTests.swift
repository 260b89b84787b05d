import TestSupport

@Suite("Every transport: faults of the server", .timeLimit(.minutes(10)), .paced)
struct FaultTests {
    /// A fault and its expected result; `nil` if two results are right.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let fault: LoopbackFault
        let outcome: Outcome
        var difference: Difference?
        /// The bytes themselves are wrong, which a gateway does not pass on, and which HTTP/2 does not have.
        var isOfHTTP1 = false

        var testDescription: String { name }
    }

    static let whole = Outcome.response(200, "0123456789")

    static let cases: [Case] = [
        Case(name: "close before the status", fault: .close(.beforeStatus), outcome: .failure(.connectionLost)),
        Case(name: "close in the status line", fault: .close(.inStatusLine), outcome: .failure(.connectionLost)),
        Case(
            name: "close in the head",
            fault: .close(.inHeaders),
            outcome: .failure(.connectionLost),
            difference: .endInHead
        ),
        Case(name: "close before the body", fault: .close(.inBody(0)), outcome: .failure(.connectionLost)),
        Case(name: "close in the body", fault: .close(.inBody(5)), outcome: .failure(.connectionLost)),
        Case(name: "close at the end", fault: .close(.atEnd), outcome: whole),
        Case(name: "reset before the status", fault: .reset(.beforeStatus), outcome: .failure(.connectionLost)),
        Case(name: "reset in the status line", fault: .reset(.inStatusLine), outcome: .failure(.connectionLost)),
        Case(name: "reset in the head", fault: .reset(.inHeaders), outcome: .failure(.connectionLost)),
        Case(name: "reset in the body", fault: .reset(.inBody(5)), outcome: .failure(.connectionLost)),
        Case(
            name: "garbage for a status line",
            fault: .garbageStatusLine,
            outcome: .failure(.invalidResponse),
            isOfHTTP1: true
        ),
        Case(name: "a bad chunk", fault: .badChunk, outcome: .failure(.invalidResponse), isOfHTTP1: true),
        Case(name: "one byte at a time", fault: .drip(1), outcome: whole),
    ]

    @Test("fails with the right code, or returns the whole content", arguments: Subject.wires, cases)
    func fault(_ subject: Subject, _ fault: Case) async throws {
        // In this one the process would end.
        if let difference = fault.difference, subject.differs(difference) { return }
        if fault.isOfHTTP1, subject == .http2 || subject == .http3 { return }
        let peer = try Peer(subject, .text("0123456789").fault(fault.fault))
        for method: HTTPMethod in [.get, .post] {
            let body = method == .post ? RequestBody.bytes(Data("x".utf8)) : .empty
            let outcome = try await peer.outcome(method, body: body)
            #expect(outcome == fault.outcome, "\(method)")
            // A POST on a connection that is ending may have been seen.
            if case .close = fault.fault { try await peer.server().wait { $0.open == 0 } }
        }
        guard case .failure = fault.outcome else { return }
        // One connection for each call: nothing was sent again, and a broken one is not kept; a broken stream ends alone.
        #expect(peer.seen.count == 2)
        var isOfStream = false
        if case .reset = fault.fault { isOfStream = subject == .http2 }
        #expect(try peer.server().counts.connections == (isOfStream ? 1 : 2))
    }

    @Test("keeps the error in the call that met it", arguments: Subject.wires)
    func isolation(_ subject: Subject) async throws {
        let peer = try Peer(subject) { seen in
            seen.target.hasSuffix("3") ? .text("0123456789").fault(.reset(.inBody(4))) : .text("fine")
        }
        let outcomes = await withTaskGroup(of: (Int, Outcome).self) { group in
            for index in 0..<40 { group.addTask { (index, await Outcome { try await peer.send(.get, "/\(index)") }) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (index, outcome) in outcomes {
            #expect(outcome == (index % 10 == 3 ? .failure(.connectionLost) : .response(200, "fine")), "\(index)")
        }
    }

    @Test("fails without a listener, and may be sent again", arguments: Subject.direct)
    func refused(_ subject: Subject) async throws {
        let url = try LoopbackServer.unusedPortURL()
        let error = await #expect(throws: TransportError.self) {
            try await subject.transport.send(TransportRequest(method: .post, url: url, timeouts: Peer.patient))
        }
        #expect(error?.code == .cannotConnect && error?.phase == .connect && error?.isSafeToResend == true)
    }

    @Test("fails for a host that does not exist", arguments: Subject.direct)
    func unknownHost(_ subject: Subject) async throws {
        let url = try #require(URL(string: "http://no-such-host.invalid/"))
        let error = await #expect(throws: TransportError.self) {
            try await subject.transport.send(TransportRequest(url: url, timeouts: Peer.patient))
        }
        #expect(error?.code == .cannotResolveHost && error?.phase == .resolve && error?.isSafeToResend == true)
        #expect(error?.message.contains("no-such-host.invalid") == true)
    }

    @Test(
        "fails when the connection is accepted and dropped",
        arguments: Subject.wires,
        [LoopbackAdmission.close, .reset]
    )
    func dropped(_ subject: Subject, _ admission: LoopbackAdmission) async throws {
        let peer = try Peer(subject, .ok)
        try peer.server().onConnect { _ in admission }
        let outcome = try await peer.outcome()
        // A reset can come before the system has told of the connection.
        let isEarly = admission == .reset && outcome == .failure(.cannotConnect)
        #expect(isEarly || outcome == .failure(.connectionLost))
    }

    @Test("keeps the received head when the content breaks", arguments: Subject.wires)
    func brokenContent(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("0123456789").fault(.reset(.inBody(5))))
        let response = try await peer.send(delivery: .stream)
        #expect(response.status == 200)
        #expect(await Outcome { response } == .failure(.connectionLost))
    }

    @Test("returns a response that comes before the body was read", arguments: Subject.wires)
    func earlyReply(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        try peer.server().onHead(.post, "/early") { _ in .text("too large", status: 413).closing() }
        let body = RequestBody.bytes(Data(count: 3_000_000))
        let outcome = await Outcome { try await peer.send(.post, "/early", body: body) }
        // A server that closes with unread bytes resets the connection, which may overtake its response.
        #expect(outcome == .response(413, "too large") || outcome == .failure(.connectionLost))
    }

    @Test("is not affected by a kept connection that the server has closed", arguments: Subject.direct)
    func deadConnection(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("x"), isFresh: true)
        let limits = Timeouts(firstByte: .seconds(3), idle: .seconds(3))
        for body in [RequestBody.empty, .bytes(Data("content".utf8))] {
            #expect(try await peer.outcome() == .response(200, "x"))
            try peer.server().closeConnections()
            try await peer.server().wait { $0.open == 0 }
            try await peer.outcome(.put, body: body, timeouts: limits)
                .expect(.response(200, "x"), for: subject, except: .deadConnection, .failure(.timedOut))
        }
    }
}
