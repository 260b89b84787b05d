#if os(Linux)
    import TestSupport

    @Suite("Loopback faults over HTTP/2", .timeLimit(.minutes(10)), .paced)
    struct HTTP2FaultTests {
        struct Case: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let response: LoopbackResponse
            let outcome: String
            /// Whether the connection stays.
            var isKept = true
            var method = HTTPMethod.get
        }

        static let plain = LoopbackResponse.text("0123456789")

        static let cases =
            whole + cut + [
                Case(
                    testDescription: "bad chunk",
                    response: LoopbackResponse(body: .text("abcd")).fault(.badChunk),
                    outcome: "http2Failed, 200 ab"
                ),
                Case(
                    testDescription: "bad second chunk",
                    response: .chunks("abc", "def").fault(.badChunk),
                    outcome: "http2Failed, 200 abc"
                ),
                Case(
                    testDescription: "garbage status line",
                    response: plain.fault(.garbageStatusLine),
                    outcome: "invalidResponse, no response"
                ),
                Case(
                    testDescription: "no space after the colon",
                    response: plain.fault(.noSpaceAfterColon),
                    outcome: "invalidResponse, no response"
                ),
                Case(
                    testDescription: "folded headers",
                    response: plain.fault(.foldedHeaders),
                    outcome: "invalidResponse, no response"
                ),
                Case(
                    testDescription: "raw bytes",
                    response: .raw("HTTP/1.1 2"),
                    outcome: "invalidResponse, no response"
                ),
            ]

        /// Nothing is missing of these.
        static let whole = [
            Case(testDescription: "no fault", response: plain, outcome: "200 0123456789"),
            Case(testDescription: "no content", response: .ok, outcome: "200 "),
            Case(testDescription: "HEAD", response: plain, outcome: "200 ", method: .head),
            Case(testDescription: "204", response: .status(204), outcome: "204 "),
            Case(testDescription: "304 with content", response: .text("x", status: 304), outcome: "304 "),
            Case(testDescription: "status 999", response: .status(999), outcome: "999 "),
            Case(testDescription: "chunks", response: .chunks("abc", "", "def"), outcome: "200 abcdef"),
            Case(
                testDescription: "content up to the end",
                response: LoopbackResponse(body: .untilClose(Data("abc".utf8))),
                outcome: "200 abc"
            ),
            Case(
                testDescription: "content on demand",
                response: .stream { $0 < 3 ? Data("\($0)".utf8) : nil },
                outcome: "200 012"
            ),
            Case(testDescription: "drip", response: plain.fault(.drip(3)), outcome: "200 0123456789"),
            Case(testDescription: "delay", response: plain.delayed(by: .milliseconds(3)), outcome: "200 0123456789"),
            Case(testDescription: "reset at the end", response: plain.fault(.reset(.atEnd)), outcome: "200 0123456789"),
            Case(
                testDescription: "close at the end",
                response: plain.fault(.close(.atEnd)),
                outcome: "200 0123456789",
                isKept: false
            ),
            Case(
                testDescription: "close beyond the end",
                response: plain.fault(.close(.inBody(99))),
                outcome: "200 0123456789",
                isKept: false
            ),
            Case(testDescription: "closing", response: plain.closing(), outcome: "200 0123456789", isKept: false),
        ]

        static let cut =
            [LoopbackFault.Point.beforeStatus, .inStatusLine, .inHeaders].flatMap { point in
                [
                    Case(
                        testDescription: "reset \(point)",
                        response: plain.fault(.reset(point)),
                        outcome: "connectionLost, no response"
                    ),
                    Case(
                        testDescription: "close \(point)",
                        response: plain.fault(.close(point)),
                        outcome: "connectionLost, no response",
                        isKept: false
                    ),
                ]
            } + [
                Case(
                    testDescription: "reset behind the head",
                    response: plain.fault(.reset(.inBody(0))),
                    outcome: "connectionLost, 200 "
                ),
                Case(
                    testDescription: "reset in the body",
                    response: plain.fault(.reset(.inBody(4))),
                    outcome: "connectionLost, 200 0123"
                ),
                Case(
                    testDescription: "close in the body",
                    response: plain.fault(.close(.inBody(4))),
                    outcome: "connectionLost, 200 0123",
                    isKept: false
                ),
                Case(
                    testDescription: "close behind the body, before the end of the stream",
                    response: plain.fault(.close(.inBody(10))),
                    outcome: "connectionLost, 200 0123456789",
                    isKept: false
                ),
                Case(
                    testDescription: "drip, then a reset in the body",
                    response: plain.fault(.drip(2)).fault(.reset(.inBody(3))),
                    outcome: "connectionLost, 200 012"
                ),
                Case(
                    testDescription: "length too long",
                    response: .text("abc").fault(.contentLength(offBy: 2)),
                    outcome: "invalidResponse, 200 abc"
                ),
                Case(
                    testDescription: "length too short",
                    response: .text("abc").fault(.contentLength(offBy: -1)),
                    outcome: "invalidResponse, 200 "
                ),
            ]

        @Test("a fault ends its stream, or the connection, as described", arguments: cases)
        func outcome(_ fault: Case) async throws {
            let server = try LoopbackServer(tickInterval: .milliseconds(1)) { $0.path == "/" ? fault.response : .ok }
            let peer = HTTP2Peer(server)
            #expect(await peer.outcome(fault.method) == fault.outcome)
            if !fault.isKept { try await server.waitForDisconnect(of: 0) }
            #expect(await peer.outcome(.get, "/next") == "200 ")
            #expect(server.counts.connections == (fault.isKept ? 1 : 2))
            #expect(server.requests.map(\.connection) == [0, fault.isKept ? 0 : 1])
        }

        static let points: [LoopbackFault.Point] = [
            .beforeStatus, .inStatusLine, .inHeaders, .inBody(0), .inBody(5), .inBody(10), .atEnd,
        ]

        @Test("a stall holds up its own stream alone, until its gate opens", arguments: points)
        func stall(_ point: LoopbackFault.Point) async throws {
            let gate = LoopbackGate()
            let server = try LoopbackServer {
                $0.path == "/" ? .text("0123456789").fault(.stall(point, until: gate)) : .text("fine")
            }
            let peer = HTTP2Peer(server)
            let stalled = Task { await peer.outcome() }
            try await server.wait { $0.stalls == 1 }
            for _ in 0..<3 { #expect(await peer.outcome(.get, "/other") == "200 fine") }
            #expect(server.counts.connections == 1)
            gate.open()
            #expect(await stalled.value == "200 0123456789")
            try await server.wait { $0.responses == 4 }
        }

        @Test("a call that is cancelled ends its stream and the task of its handler, not the connection")
        func cancelled() async throws {
            let never = LoopbackGate()
            let ended = LoopbackGate()
            let server = try LoopbackServer { request in
                guard request.path == "/" else { return .ok }
                defer { ended.open() }
                try await never.wait()
                return .ok
            }
            let peer = HTTP2Peer(server)
            let call = Task { await peer.outcome() }
            try await server.waitForRequests(1)
            call.cancel()
            _ = await call.value
            try await ended.wait()
            try await server.wait { $0.clientResets == 1 }
            #expect(await peer.outcome(.get, "/next") == "200 ")
            #expect(server.counts.connections == 1)
        }

        @Test("with manual ticks, the head counts as one of the bytes that leave at each")
        func manualTicks() async throws {
            let server = try LoopbackServer(tickInterval: nil) { _ in .text("abcdef").fault(.drip(1)) }
            let peer = HTTP2Peer(server)
            let call = Task { try await peer.send(delivery: .stream) }
            try await server.waitForRequests(1)
            server.tick()
            guard case .stream(let stream) = try await call.value.body else {
                Issue.record("no stream")
                return
            }
            var iterator = stream.makeAsyncIterator()
            for byte in "abcdef".utf8 {
                server.tick()
                #expect(try await iterator.next() == Data([byte]))
            }
            #expect(try await iterator.next() == nil)
        }
    }
#endif
