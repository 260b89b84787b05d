import TestSupport

@testable import CoreNetKitRecovery

@Suite("The count of a digest", .timeLimit(.minutes(10)), .paced)
struct DigestCountTests {
    private func request() throws -> TransportRequest {
        TransportRequest(method: .get, url: try #require(URL(string: "http://www.example.org/dir")))
    }

    private func credentials(_ cnonce: @escaping @Sendable () -> String = { UUID().uuidString }) -> DigestCredentials {
        DigestCredentials(user: "Mufasa", password: "p", origins: ["http://www.example.org"], cnonce: cnonce)
    }

    private func challenge(_ field: String) throws -> DigestChallenge {
        try #require(DigestChallenge.first(in: ["WWW-Authenticate": field]))
    }

    private static func count(_ field: String?) -> Substring? { field?.firstMatch(of: /nc=([0-9a-f]{8})/)?.1 }

    @Test("continues if several calls are given the same nonce: a server accepts each count once (RFC 7616, 3.4)")
    func together() async throws {
        let gate = Gate()
        let counts = Locked<Set<Substring>>([])
        let wire = Wire { _, request in
            let field = request.headers["Authorization"]
            if let count = Self.count(field), counts.withLock({ $0.insert(count).inserted }) {
                return .init(status: 200, url: request.url)
            }
            if field == nil { try await gate.pass() }
            let challenge = "Digest realm=\"r\", qop=\"auth\", nonce=\"n\""
            return .init(status: 401, headers: ["WWW-Authenticate": challenge], url: request.url)
        }
        let chain = wire.chain(.get, "http://www.example.org/a") { $0.authorize(digest: credentials()) }
        let calls = chain.start(4)
        await gate.arrived(4)
        gate.open()
        for call in calls { try await call.value }
        #expect(counts.withLock { $0 } == ["00000001", "00000002", "00000003", "00000004"])
    }

    @Test("starts anew with another nonce, and never repeats an exhausted one")
    func begins() throws {
        let credentials = credentials()
        let request = try request()
        let first = try challenge("Digest realm=\"r\", qop=auth, nonce=\"n\"")
        credentials.store(first, for: request, countedTo: .max - 1)
        #expect(Self.count(credentials.authorization(for: request)?.field) == "ffffffff")
        #expect(credentials.authorization(for: request) == nil)
        credentials.store(first, for: request)
        #expect(Self.count(credentials.authorization(for: request)?.field) == "00000001")
        credentials.store(try challenge("Digest realm=\"r\", qop=auth, nonce=\"m\""), for: request)
        #expect(Self.count(credentials.authorization(for: request)?.field) == "00000001")
    }

    @Test("of a session: the secret is that of its first request (RFC 7616, 3.4.2)")
    func session() throws {
        let made = Locked(0)
        let credentials = credentials { "c\(made.next())" }
        func hash(_ text: String) -> String { Hex.encode(SHA256.digest(text.utf8)) }
        let challenge = try challenge("Digest realm=\"r\", qop=auth, nonce=\"n\", algorithm=SHA-256-sess")
        credentials.store(challenge, for: try request())
        let secret = hash("\(hash("Mufasa:r:p")):n:c1")
        let message = hash("GET:/dir")
        for number in ["00000001", "00000002"] {
            let field = try #require(credentials.authorization(for: try request())).field
            let own = try #require(field.firstMatch(of: /cnonce="(c[0-9]+)"/)).1
            #expect(field.contains("response=\"\(hash("\(secret):n:\(number):\(own):auth:\(message)"))\""))
        }
    }
}
