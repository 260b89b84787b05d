#if os(Linux)
    import TestSupport

    @Suite("Loopback faults over HTTP/2", .timeLimit(.minutes(10)), .paced)
    struct HTTP2FaultTests {
        struct Case: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let response: LoopbackResponse
            let outcome: String
            /// Whether the connection stays.
            let isKept: Bool
            let method: HTTPMethod

            init(
                _ name: String,
                _ response: LoopbackResponse,
                _ outcome: String,
                isKept: Bool = true,
                method: HTTPMethod = .get
            ) {
                (testDescription, self.response, self.outcome) = (name, response, outcome)
                (self.isKept, self.method) = (isKept, method)
            }
        }

        static let plain = LoopbackResponse.text("0123456789")

        static let cases =
            whole + cut + [
                Case("bad chunk", LoopbackResponse(body: .text("abcd")).fault(.badChunk), "http2Failed, 200 ab"),
                Case("bad second chunk", .chunks("abc", "def").fault(.badChunk), "http2Failed, 200 abc"),
                Case("garbage status line", plain.fault(.garbageStatusLine), "invalidResponse, no response"),
                Case("no space after the colon", plain.fault(.noSpaceAfterColon), "invalidResponse, no response"),
                Case("folded headers", plain.fault(.foldedHeaders), "invalidResponse, no response"),
                Case("raw bytes", .raw("HTTP/1.1 2"), "invalidResponse, no response"),
            ]

        /// Nothing is missing of these.
        static let whole = [
            Case("no fault", plain, "200 0123456789"),
            Case("no content", .ok, "200 "),
            Case("HEAD", plain, "200 ", method: .head),
            Case("204", .status(204), "204 "),
            Case("304 with content", .text("x", status: 304), "304 "),
            Case("status 999", .status(999), "999 "),
            Case("chunks", .chunks("abc", "", "def"), "200 abcdef"),
            Case("content up to the end", LoopbackResponse(body: .untilClose(Data("abc".utf8))), "200 abc"),
            Case("content on demand", .stream { $0 < 3 ? Data("\($0)".utf8) : nil }, "200 012"),
            Case("drip", plain.fault(.drip(3)), "200 0123456789"),
            Case("delay", plain.delayed(by: .milliseconds(3)), "200 0123456789"),
            Case("reset at the end", plain.fault(.reset(.atEnd)), "200 0123456789"),
            Case("close at the end", plain.fault(.close(.atEnd)), "200 0123456789", isKept: false),
            Case("close beyond the end", plain.fault(.close(.inBody(99))), "200 0123456789", isKept: false),
            Case("closing", plain.closing(), "200 0123456789", isKept: false),
        ]

        static let cut =
            [LoopbackFault.Point.beforeStatus, .inStatusLine, .inHeaders].flatMap { point in
                [
                    Case("reset \(point)", plain.fault(.reset(point)), "connectionLost, no response"),
                    Case("close \(point)", plain.fault(.close(point)), "connectionLost, no response", isKept: false),
                ]
            } + [
                Case("reset behind the head", plain.fault(.reset(.inBody(0))), "connectionLost, 200 "),
                Case("reset in the body", plain.fault(.reset(.inBody(4))), "connectionLost, 200 0123"),
                Case("close in the body", plain.fault(.close(.inBody(4))), "connectionLost, 200 0123", isKept: false),
                Case(
                    "close behind the body, before the end of the stream",
                    plain.fault(.close(.inBody(10))),
                    "connectionLost, 200 0123456789",
                    isKept: false
                ),
                Case(
                    "drip, then a reset in the body",
                    plain.fault(.drip(2)).fault(.reset(.inBody(3))),
                    "connectionLost, 200 012"
                ),
                Case("length too long", .text("abc").fault(.contentLength(offBy: 2)), "invalidResponse, 200 abc"),
                Case("length too short", .text("abc").fault(.contentLength(offBy: -1)), "invalidResponse, 200 "),
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
            // A connection on which nothing has been read ends with a cancelled call, and counts as another reset.
            #expect(await peer.outcome(.get, "/first") == "200 ")
            let call = Task { await peer.outcome() }
            try await server.waitForRequests(2)
            await call.cancelAndWait()
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
            var iterator = try await call.value.stream().makeAsyncIterator()
            for byte in "abcdef".utf8 {
                server.tick()
                #expect(try await iterator.next() == Data([byte]))
            }
            #expect(try await iterator.next() == nil)
        }
    }
#endif
