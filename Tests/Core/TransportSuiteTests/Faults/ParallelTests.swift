import TestSupport

@Suite("Every transport: parallel requests", .timeLimit(.minutes(10)), .paced)
struct ParallelTests {
    /// Follows redirects as a chain does: with requests of their own.
    private func follow(_ peer: Peer, _ target: String) async throws -> String {
        var request = try peer.request(.get, target)
        for _ in 0..<5 {
            let response = try await peer.transport.send(request)
            guard let location = response.headers["Location"] else {
                return String(decoding: try await response.body.collect(), as: UTF8.self)
            }
            request.url = try #require(URL(string: location, relativeTo: request.url)?.absoluteURL)
        }
        return "too many"
    }

    @Test("runs 100 requests that are redirected twice", arguments: Subject.all)
    func redirects(_ subject: Subject) async throws {
        let peer = try Peer(subject) { seen in
            let parts = seen.target.split(separator: "/")
            guard parts.count == 2, let hop = Int(parts[0]), hop < 2 else { return .text(String(parts.last ?? "")) }
            return .text("moved", status: 302).header("Location", "/\(hop + 1)/\(parts[1])")
        }
        let results = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for index in 0..<100 { group.addTask { (index, try await follow(peer, "/0/\(index)")) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(results.count == 100)
        for (index, text) in results { #expect(text == String(index)) }
        #expect(peer.seen.count == 300)
    }

    @Test("runs no more at a time than allowed, first come first served", arguments: Subject.direct)
    func limit(_ subject: Subject) async throws {
        let gate = LoopbackGate()
        let peer = try Peer(subject, .text("x").fault(.stall(.beforeStatus, until: gate)), isFresh: true)
        let places = subject == .urlSession ? 6 : 64
        let calls = (0..<100).map { index in Task { await Outcome { try await peer.send(.get, "/\(index)") } } }
        try await peer.server().wait { $0.stalls == places }
        #expect(try peer.server().counts.connections == (subject == .http2 ? 1 : places))
        gate.open()
        for call in calls { #expect(await call.value == .response(200, "x")) }
        #expect(peer.seen.count == 100)
    }
}
