import TestSupport

@Suite("Loopback faults", .timeLimit(.minutes(10)), .paced)
struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: LoopbackResponse
        let text: String
        let ending: RawClient.Ending

        init(_ name: String, _ response: LoopbackResponse, _ text: String, ending: RawClient.Ending = .closed) {
            (testDescription, self.response, self.text, self.ending) = (name, response, text, ending)
        }
    }

    static let plain = LoopbackResponse.text("0123456789").closing()
    static let ok = "HTTP/1.1 200 OK\r\n"
    static let head = head(10)
    static let open = head.replacingOccurrences(of: "Connection: close\r\n", with: "")

    static func head(_ length: Int) -> String {
        ok + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n"
    }

    static let cases: [Case] = [
        Case("no fault", plain, head + "0123456789"),
        Case("close before the status", plain.fault(.close(.beforeStatus)), ""),
        Case("close in the status line", plain.fault(.close(.inStatusLine)), "HTTP/1.1 2"),
        Case("close in the headers", plain.fault(.close(.inHeaders)), "HTTP/1.1 200 OK\r\nCon"),
        Case("close in the body", plain.fault(.close(.inBody(4))), head + "0123"),
        Case("close at the end", .text("0123456789").fault(.close(.atEnd)), open + "0123456789"),
        Case("close beyond the end", plain.fault(.close(.inBody(99))), head + "0123456789"),
        Case("reset before the status", plain.fault(.reset(.beforeStatus)), "", ending: .reset),
        Case("reset in the body", plain.fault(.reset(.inBody(4))), head + "0123", ending: .reset),
        Case("reset at the end", plain.fault(.reset(.atEnd)), head + "0123456789", ending: .reset),
        Case("length too long", .text("abc").fault(.contentLength(offBy: 2)), head(5) + "abc"),
        Case("length too short", .text("abc").fault(.contentLength(offBy: -1)), head(2) + "abc"),
        Case(
            "bad chunk",
            LoopbackResponse(body: .text("abcd")).fault(.badChunk),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\nxyz\r\ncd\r\n0\r\n\r\n"
        ),
        Case(
            "chunks cut in a chunk",
            .chunks("abc", "def").fault(.close(.inBody(9))),
            ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3"
        ),
        Case(
            "garbage status line",
            LoopbackResponse(body: .text("a")).fault(.garbageStatusLine),
            "\u{1}\u{2} this is no status line\r\nContent-Length: 1\r\nConnection: close\r\n\r\na"
        ),
        Case(
            "no space",
            plain.fault(.noSpaceAfterColon),
            head.replacingOccurrences(of: ": ", with: ":") + "0123456789"
        ),
        Case(
            "folded headers",
            plain.fault(.foldedHeaders),
            head.replacingOccurrences(of: "; charset", with: ";\r\n charset") + "0123456789"
        ),
        Case("raw bytes", .raw("HTTP/1.1 2"), "HTTP/1.1 2"),
        Case("raw bytes, then a reset", .raw("HTTP/1.1 2").fault(.reset(.atEnd)), "HTTP/1.1 2", ending: .reset),
        Case(
            "two Set-Cookie",
            LoopbackResponse.ok.header("Set-Cookie", "a=1").header("Set-Cookie", "b=2").closing(),
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        Case(
            "100 and 103 before the final status",
            .status(204).preceded(by: 100).preceded(by: 103, headers: ["Link": "</a>"]).closing(),
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
        ),
        Case(
            "close between 103 and the final status",
            LoopbackResponse.ok.preceded(by: 103).fault(.close(.beforeStatus)),
            "HTTP/1.1 103 Early Hints\r\n\r\n"
        ),
        Case(
            "trailers",
            LoopbackResponse.chunks("abc").trailer("T", "1").closing(),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n"
        ),
        Case("999", .status(999).closing(), "HTTP/1.1 999 Unknown\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        Case("up to the close", .init(body: .untilClose(Data("abc".utf8))), ok + "Connection: close\r\n\r\nabc"),
        Case("drip", plain.fault(.drip(7)), head + "0123456789"),
        Case("drip, then a reset", plain.fault(.drip(50)).fault(.reset(.inBody(3))), head + "012", ending: .reset),
        Case("delay", plain.delayed(by: .milliseconds(3)), head + "0123456789"),
    ]

    @Test("a fault puts exactly these bytes on the wire and ends as described", arguments: cases)
    func wire(_ fault: Case) async throws {
        let server = try LoopbackServer(tickInterval: .milliseconds(1)) { _ in fault.response }
        let (text, ending) = try await exchange(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") { $0.readToEnd() }
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
        let second = try await exchange(server, "GET / HTTP/1.1\r\n\r\n").head
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
}
