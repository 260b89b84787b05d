import TestSupport

@Suite("Loopback faults", .timeLimit(.minutes(10)), .paced)
struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: LoopbackResponse
        let text: String
        var ending = RawClient.Ending.closed
    }

    static let plain = LoopbackResponse.text("0123456789").closing()
    static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 10\r\nConnection: close\r\n\r\n"

    static let cases: [Case] = [
        Case(testDescription: "no fault", response: plain, text: head + "0123456789"),
        Case(testDescription: "close before the status", response: plain.fault(.close(.beforeStatus)), text: ""),
        Case(
            testDescription: "close in the status line",
            response: plain.fault(.close(.inStatusLine)),
            text: "HTTP/1.1 2"
        ),
        Case(
            testDescription: "close in the headers",
            response: plain.fault(.close(.inHeaders)),
            text: "HTTP/1.1 200 OK\r\nCon"
        ),
        Case(testDescription: "close in the body", response: plain.fault(.close(.inBody(4))), text: head + "0123"),
        Case(
            testDescription: "close at the end",
            response: .text("0123456789").fault(.close(.atEnd)),
            text: head.replacingOccurrences(of: "Connection: close\r\n", with: "") + "0123456789"
        ),
        Case(
            testDescription: "close beyond the end",
            response: plain.fault(.close(.inBody(99))),
            text: head + "0123456789"
        ),
        Case(
            testDescription: "reset before the status",
            response: plain.fault(.reset(.beforeStatus)),
            text: "",
            ending: .reset
        ),
        Case(
            testDescription: "reset in the body",
            response: plain.fault(.reset(.inBody(4))),
            text: head + "0123",
            ending: .reset
        ),
        Case(
            testDescription: "reset at the end",
            response: plain.fault(.reset(.atEnd)),
            text: head + "0123456789",
            ending: .reset
        ),
        Case(
            testDescription: "length too long",
            response: .text("abc").fault(.contentLength(offBy: 2)),
            text:
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabc"
        ),
        Case(
            testDescription: "length too short",
            response: .text("abc").fault(.contentLength(offBy: -1)),
            text:
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\nConnection: close\r\n\r\nabc"
        ),
        Case(
            testDescription: "bad chunk",
            response: LoopbackResponse(body: .text("abcd")).fault(.badChunk),
            text:
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\nxyz\r\ncd\r\n0\r\n\r\n"
        ),
        Case(
            testDescription: "chunks cut in a chunk",
            response: .chunks("abc", "def").fault(.close(.inBody(9))),
            text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3"
        ),
        Case(
            testDescription: "garbage status line",
            response: LoopbackResponse(body: .text("a")).fault(.garbageStatusLine),
            text: "\u{1}\u{2} this is no status line\r\nContent-Length: 1\r\nConnection: close\r\n\r\na"
        ),
        Case(
            testDescription: "no space after the colon",
            response: plain.fault(.noSpaceAfterColon),
            text: head.replacingOccurrences(of: ": ", with: ":") + "0123456789"
        ),
        Case(
            testDescription: "folded headers",
            response: plain.fault(.foldedHeaders),
            text: head.replacingOccurrences(of: "; charset", with: ";\r\n charset") + "0123456789"
        ),
        Case(testDescription: "raw bytes", response: .raw("HTTP/1.1 2"), text: "HTTP/1.1 2"),
        Case(
            testDescription: "raw bytes, then a reset",
            response: .raw("HTTP/1.1 2").fault(.reset(.atEnd)),
            text: "HTTP/1.1 2",
            ending: .reset
        ),
        Case(
            testDescription: "two Set-Cookie",
            response: LoopbackResponse.ok.header("Set-Cookie", "a=1").header("Set-Cookie", "b=2").closing(),
            text:
                "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        Case(
            testDescription: "100 and 103 before the final status",
            response: .status(204).preceded(by: 100).preceded(by: 103, headers: ["Link": "</a>"]).closing(),
            text:
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
        ),
        Case(
            testDescription: "close between 103 and the final status",
            response: LoopbackResponse.ok.preceded(by: 103).fault(.close(.beforeStatus)),
            text: "HTTP/1.1 103 Early Hints\r\n\r\n"
        ),
        Case(
            testDescription: "trailers",
            response: LoopbackResponse.chunks("abc").trailer("T", "1").closing(),
            text:
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n"
        ),
        Case(
            testDescription: "status 999",
            response: LoopbackResponse.status(999).closing(),
            text: "HTTP/1.1 999 Unknown\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        Case(
            testDescription: "content up to the close",
            response: LoopbackResponse(body: .untilClose(Data("abc".utf8))),
            text: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc"
        ),
        Case(testDescription: "drip", response: plain.fault(.drip(7)), text: head + "0123456789"),
        Case(
            testDescription: "drip, then a reset in the body",
            response: plain.fault(.drip(50)).fault(.reset(.inBody(3))),
            text: head + "012",
            ending: .reset
        ),
        Case(testDescription: "delay", response: plain.delayed(by: .milliseconds(3)), text: head + "0123456789"),
    ]

    @Test("a fault puts exactly these bytes on the wire and ends as described", arguments: cases)
    func wire(_ fault: Case) async throws {
        let server = try LoopbackServer(tickInterval: .milliseconds(1)) { _ in fault.response }
        let (text, ending) = try await onThread {
            let client = try RawClient(server)
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return client.readToEnd()
        }
        #expect(text == fault.text)
        #expect(ending == fault.ending)
        try await server.waitForDisconnect(of: 0)
        #expect(server.counts.serverCloses == 1)
        #expect(server.counts.open == 0)
    }

    static let points: [LoopbackFault.Point] = [
        .beforeStatus, .inStatusLine, .inHeaders, .inBody(0), .inBody(5), .atEnd,
    ]

    @Test("a stall lasts until the client is gone, and the server notices", arguments: points)
    func stallUntilGone(_ point: LoopbackFault.Point) async throws {
        let server = try LoopbackServer { _ in .text("0123456789").fault(.stall(point)) }
        var client: RawClient? = try RawClient(server)
        try client?.send("GET / HTTP/1.1\r\n\r\n")
        try await server.wait { $0.stalls == 1 }
        #expect(server.counts.open == 1)
        client = nil
        try await server.waitForDisconnect(of: 0)
        #expect(server.counts.clientCloses == 1)
        #expect(server.counts.responses == 0)
    }

    @Test("a stall with a gate continues when the gate opens", arguments: points)
    func stallUntilOpened(_ point: LoopbackFault.Point) async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { _ in .text("0123456789").fault(.stall(point, until: gate)) }
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        try await server.wait { $0.stalls == 1 }
        gate.open()
        let bodies = try await onThread { [try client.readResponse().body, try client.readResponse().body] }
        #expect(bodies == ["0123456789", "0123456789"])
        // A client that leaves a stall at the end, with everything read, would end the second response before it counts.
        try await server.wait { $0.responses == 2 }
        withExtendedLifetime(client) {}
    }

    @Test("with manual ticks exactly the allowed bytes are sent at each tick")
    func manualTicks() async throws {
        let server = try LoopbackServer(tickInterval: nil) { _ in .raw("abcdef").fault(.drip(2)) }
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(1)
        var pieces: [String] = []
        for _ in 0..<3 {
            server.tick()
            pieces.append(try await onThread { String(decoding: try client.read().get(), as: UTF8.self) })
        }
        #expect(pieces == ["ab", "cd", "ef"])
        #expect(try await onThread { client.readToEnd().ending } == .closed)
    }

    @Test(
        "a connection can be ended before it sends anything",
        arguments: [(LoopbackAdmission.close, RawClient.Ending.closed), (.reset, .reset)]
    )
    func admission(_ admission: LoopbackAdmission, _ ending: RawClient.Ending) async throws {
        let server = try LoopbackServer { _ in .ok }
        server.onConnect { $0 == 0 ? admission : .accept }
        let client = try RawClient(server)
        #expect(try await onThread { client.readToEnd() } == ("", ending))
        let second = try await onThread {
            let client = try RawClient(server)
            try client.send("GET / HTTP/1.1\r\n\r\n")
            return try client.readResponse().head
        }
        #expect(second.hasPrefix("HTTP/1.1 200"))
    }

    @Test("a connection stalled from the start is released with its client")
    func stalledConnection() async throws {
        let server = try LoopbackServer { _ in .ok }
        server.onConnect { _ in .stall }
        var client: RawClient? = try RawClient(server)
        try client?.send("GET / HTTP/1.1\r\n\r\n")
        try await server.wait { $0.stalls == 1 }
        client = nil
        try await server.waitForDisconnect(of: 0)
        #expect(server.counts.requests == 0)
    }

    @Test("a refused URL refuses")
    func refused() async throws {
        let port = try #require(try LoopbackServer.refusedURL().port)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    }
}
