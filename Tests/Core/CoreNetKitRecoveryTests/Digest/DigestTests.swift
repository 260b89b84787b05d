import TestSupport

@testable import CoreNetKitRecovery

@Suite("Digest", .timeLimit(.minutes(10)), .paced)
struct DigestTests {
    private static let secret = "Circle of Life"
    private static let realm = "http-auth@example.org"
    private static let offer =
        #"realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#

    private func credentials(
        user: String = "Mufasa",
        password: String = secret,
        nonce: String = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    ) -> DigestCredentials {
        DigestCredentials(user: user, password: password, origins: ["http://www.example.org"]) { nonce }
    }

    private func request(_ url: String = "http://www.example.org/dir/index.html", _ method: HTTPMethod = .get) throws
        -> TransportRequest
    {
        TransportRequest(method: method, url: try #require(URL(string: url)))
    }

    private func challenge(_ fields: String...) throws -> DigestChallenge {
        try #require(DigestChallenge.first(in: Headers(fields.map { ("WWW-Authenticate", $0) })))
    }

    private func field(_ challenge: DigestChallenge, _ credentials: DigestCredentials) throws -> String {
        credentials.store(challenge, for: try request())
        return try #require(credentials.authorization(for: try request())).field
    }

    @Test(
        "matches the examples of RFC 7616, 3.9.1",
        arguments: [
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ]
    )
    func vectors(_ algorithm: String, _ proof: String) throws {
        let found = try field(challenge("Digest \(Self.offer), algorithm=\(algorithm)"), credentials())
        #expect(
            found == #"Digest username="Mufasa", realm="http-auth@example.org", "#
                + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", response="\#(proof)", "#
                + #"algorithm=\#(algorithm), qop=auth, nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "#
                + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
        )
    }

    @Test("without a quality matches RFC 2069, and without an algorithm uses MD5")
    func old() throws {
        let found = try field(challenge(#"Digest realm="r", nonce="n""#), credentials())
        let proof = [MD5.digest("Mufasa:r:\(Self.secret)".utf8), MD5.digest("GET:/dir/index.html".utf8)].map(Hex.encode)
        let response = Hex.encode(MD5.digest("\(proof[0]):n:\(proof[1])".utf8))
        #expect(
            found
                == #"Digest username="Mufasa", realm="r", nonce="n", uri="/dir/index.html", response="\#(response)""#
        )
    }

    @Test(
        "of a session mixes both nonces into the secret; a name is hashed or escaped if necessary, quotes are escaped"
    )
    func forms() throws {
        let session = try field(
            challenge(#"Digest realm="r", nonce="n", qop=auth, algorithm=md5-sess"#),
            credentials(nonce: "c")
        )
        let first = Hex.encode(MD5.digest("Mufasa:r:\(Self.secret)".utf8))
        let secret = Hex.encode(MD5.digest("\(first):n:c".utf8))
        let message = Hex.encode(MD5.digest("GET:/dir/index.html".utf8))
        #expect(session.contains(Hex.encode(MD5.digest("\(secret):n:00000001:c:auth:\(message)".utf8))))
        #expect(session.contains("algorithm=MD5-sess"))
        let hashed = try field(challenge(#"Digest realm="r", nonce="n", userhash=true"#), credentials())
        #expect(
            hashed.contains("username=\"\(Hex.encode(MD5.digest("Mufasa:r".utf8)))\"")
                && hashed.hasSuffix("userhash=true")
        )
        let named = try field(challenge(#"Digest realm="r", nonce="n""#), credentials(user: "Jäs"))
        #expect(named.contains("username*=UTF-8''J%C3%A4s"))
        let quoted = try field(challenge(#"Digest realm="a \"b\" \\c", nonce="n""#), credentials(user: #"a"b"#))
        #expect(quoted.contains(#"username="a\"b", realm="a \"b\" \\c""#))
    }

    @Test("the first supported challenge counts, wherever it is")
    func choice() throws {
        let found = try challenge(
            #"Negotiate abc==, Basic realm="x, Digest realm=\"no\"""#,
            #"Digest realm="a", nonce="1", algorithm=SHA-512-256, Digest realm="b", nonce="2", qop="auth-int""#,
            #"digest realm = "c" , nonce=3,qop=auth, stale=TRUE, algorithm="sha-256""#,
            #"Digest realm="d", nonce="4""#
        )
        #expect(found.realm == "c" && found.nonce == "3" && found.isStale && found.algorithm == .sha256)
    }

    @Test(
        "an invalid challenge is ignored",
        arguments: [
            "", "Digest", "Digest realm=\"r\"", "Digest nonce=\"n\"", "Basic realm=\"r\"", "=", "\"", "Digest ,,,=",
            "Digest realm=\"r",
        ]
    )
    func none(_ field: String) { #expect(DigestChallenge.first(in: ["WWW-Authenticate": field]) == nil) }

    /// A server that challenges, counts, and accepts a digest only with its newest nonce.
    private struct Server {
        let sent = Recorder<String?>()
        let wire: Wire

        init(nonces: [String], marksStale: Bool = true, status: Int = 200) {
            let sent = sent
            wire = Wire { index, request in
                let field = request.headers["Authorization"]
                sent.record(field)
                let nonce = nonces[min(index / 2, nonces.count - 1)]
                let isRight = field?.contains("nonce=\"\(nonce)\"") == true
                let stale = marksStale && field != nil ? ", stale=true" : ""
                let rest = isRight ? "" : ", qop=\"auth\"\(stale)"
                let headers: Headers = ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(nonce)\"\(rest)"]
                return .init(status: isRight ? status : 401, headers: headers, url: request.url)
            }
        }

        func chain(
            _ credentials: DigestCredentials,
            _ url: String = "http://www.example.org/a?b=c"
        ) -> Chain<Void, Void> { wire.chain(.get, url) { $0.authorize(digest: credentials) } }
    }

    @Test("is requested once: later requests carry it at once and count", arguments: [true, false])
    func counted(marksStale: Bool) async throws {
        let server = Server(nonces: ["n1", "n2"], marksStale: marksStale)
        let chain = server.chain(credentials())
        for _ in 1...3 { try await chain.process() }
        let sent = server.sent.values
        // Challenged, sent; refused as too old, sent again; sent at once.
        #expect(sent.count == 5 && sent[0] == nil)
        #expect(sent.dropFirst().map { $0?.contains("uri=\"/a?b=c\"") } == [true, true, true, true])
        for (field, (nonce, count)) in zip(sent.dropFirst(), [("n1", 1), ("n1", 2), ("n2", 1), ("n2", 2)]) {
            #expect(field?.contains("nonce=\"\(nonce)\"") == true && field?.contains("nc=0000000\(count)") == true)
        }
    }

    @Test("a wrong password is a 401 after two requests, and the next call asks again")
    func wrong() async throws {
        let server = Server(nonces: ["n"], status: 401)
        let chain = server.chain(credentials(password: "wrong"))
        for calls in 1...2 {
            let error = await chain.failure
            #expect(error?.code == .unauthorized)
            #expect(server.sent.values.count == 2 * calls)
        }
        #expect(server.sent.values.map { $0 == nil } == [true, false, true, false])
    }

    @Test("goes only to its origins, and never replaces an existing Authorization")
    func bound() async throws {
        let server = Server(nonces: ["n"])
        let other = server.chain(credentials(), "http://other.example.org/")
        #expect(await other.failure?.code == .unauthorized)
        let own = server.wire.chain(.get, "http://www.example.org/") {
            $0.authorize(digest: credentials()).authorize(user: "a", password: "b")
        }
        #expect(await own.failure?.code == .unauthorized)
        #expect(server.sent.values == [nil, "Basic YTpi"])
        let unnamed = server.chain(DigestCredentials(user: "a", password: "b", origins: []))
        #expect(await unnamed.failure?.code == .invalidChain)
    }

    @Test("set on a client, is requested once by all of its calls; set again, the last one counts")
    func ofClient() async throws {
        let server = Server(nonces: ["n"])
        let origins: TokenRefresher.Origins = ["http://www.example.org"]
        let client = server.wire.client().authorize(user: "x", password: "x", byDigestTo: origins)
            .authorize(user: "Mufasa", password: "secret", byDigestTo: origins)
        for _ in 1...2 { try await client.chain(.get, "http://www.example.org/").process() }
        #expect(server.sent.values.map { $0?.contains("username=\"Mufasa\"") } == [nil, true, true])
    }

    @Test("a body that cannot be resent is not: the 401 is the response, and the next call knows")
    func stream() async throws {
        let server = Server(nonces: ["n"])
        let node = DigestNode(next: TransportNode(server.wire), credentials: credentials())
        var request = try request("http://www.example.org/", .post)
        request.body = .stream { AsyncThrowingStream { $0.finish() } }
        #expect(try await node.process(request, context: RequestContext()).status == 401)
        #expect(try await node.process(request, context: RequestContext()).status == 200)
        #expect(server.sent.values.count == 2)
    }

    @Test("credentials reveal nothing")
    func description() {
        var text = ""
        dump(credentials(), to: &text)
        #expect(!text.contains("Mufasa") && !text.contains(Self.secret) && !"\(credentials())".contains("Mufasa"))
    }
}
