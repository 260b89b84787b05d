import TestSupport

@Suite("Every transport: faults of the server", .timeLimit(.minutes(10)), .paced)
struct FaultTests {
    static let whole = Outcome.response(200, "0123456789")

    static let faults: [(LoopbackFault, Outcome)] =
        [.beforeStatus, .inStatusLine, .inHeaders, .inBody(0), .inBody(5)].map {
            (.close($0), .failure(.connectionLost))
        } + [.beforeStatus, .inStatusLine, .inHeaders, .inBody(5)].map { (.reset($0), .failure(.connectionLost)) } + [
            (.close(.atEnd), whole), (.drip(1), whole), (.garbageStatusLine, .failure(.invalidResponse)),
            (.badChunk, .failure(.invalidResponse)),
        ]

    /// Whether the fault is tried: FoundationNetworking would end the process, or wrong bytes do not arrive as they are.
    private func isTried(_ fault: LoopbackFault, with subject: Subject) -> Bool {
        switch fault {
        case .close(.inHeaders): !subject.differs(.endInHead)
        // A gateway does not pass them on, and HTTP/2 does not have them.
        case .garbageStatusLine, .badChunk: subject != .http2 && subject != .http3
        default: true
        }
    }

    @Test("fails with the right code, or returns the whole content", arguments: Subject.wires, faults)
    func fault(_ subject: Subject, _ fault: (LoopbackFault, outcome: Outcome)) async throws {
        guard isTried(fault.0, with: subject) else { return }
        let peer = try Peer(subject, .text("0123456789").fault(fault.0))
        for method: HTTPMethod in [.get, .post] {
            let body = method == .post ? RequestBody.bytes(Data("x".utf8)) : .empty
            let outcome = try await peer.outcome(method, body: body)
            #expect(outcome == fault.outcome, "\(method)")
            // A POST on a connection that is ending may have been seen.
            if case .close = fault.0 { try await peer.server().wait { $0.open == 0 } }
        }
        guard case .failure = fault.outcome else { return }
        // One connection for each call: nothing was sent again, and a broken one is not kept; a broken stream ends alone.
        #expect(peer.seen.count == 2)
        var isOfStream = false
        if case .reset = fault.0 { isOfStream = subject == .http2 }
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

    @Test("fails without a listener or a host, and may be sent again", arguments: Subject.direct)
    func unreachable(_ subject: Subject) async throws {
        let host = try #require(URL(string: "http://no-such-host.invalid/"))
        for (url, code, phase) in [
            (try LoopbackServer.unusedPortURL(), TransportError.Code.cannotConnect, TransportError.Phase.connect),
            (host, .cannotResolveHost, .resolve),
        ] {
            let error = await #expect(throws: TransportError.self) {
                try await subject.transport.send(TransportRequest(method: .post, url: url, timeouts: Peer.patient))
            }
            #expect(error?.code == code && error?.phase == phase && error?.isSafeToResend == true)
            if url == host { #expect(error?.message.contains("no-such-host.invalid") == true) }
        }
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
