import TestSupport

@Suite("Every transport: what it does not remember", .timeLimit(.minutes(10)), .paced)
struct MemoryTests {
    @Test("keeps no cookies", arguments: Subject.wires)
    func cookies(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok.header("Set-Cookie", "a=1; Path=/").header("Set-Cookie", "b=2"))
        for _ in 0..<3 { _ = try await peer.send() }
        #expect(peer.seen.allSatisfy { !$0.headers.contains("Cookie") })
        _ = try await peer.send(headers: ["Cookie": "c=3"])
        #expect(peer.seen.last?.headers[values: "Cookie"] == ["c=3"])
    }

    @Test("keeps no cache", arguments: Subject.wires)
    func cache(_ subject: Subject) async throws {
        let reply = LoopbackResponse.text("x").header("Cache-Control", "max-age=3600").header("ETag", "\"1\"")
            .header("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
        let peer = try Peer(subject, reply)
        for _ in 0..<3 { #expect(try await peer.outcome() == .response(200, "x")) }
        #expect(peer.seen.count == 3)
        for field in ["If-None-Match", "If-Modified-Since", "Cache-Control", "Pragma"] {
            #expect(peer.seen.allSatisfy { !$0.headers.contains(field) }, "\(field)")
        }
    }

    @Test("keeps no credentials, and does not respond to challenges", arguments: Subject.wires)
    func credentials(_ subject: Subject) async throws {
        let peer = try Peer(subject) { seen in
            guard seen.headers["Authorization"] == nil else { return .text("in") }
            return .text("out", status: 401).header("WWW-Authenticate", "Basic realm=\"x\"")
        }
        #expect(try await peer.outcome() == .response(401, "out"))
        let response = try await peer.send(headers: ["Authorization": "Basic dTpw"])
        #expect(response.body.data == Data("in".utf8))
        #expect(try await peer.outcome() == .response(401, "out"))
        #expect(peer.seen.count == 3)
    }
}
