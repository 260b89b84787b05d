import TestSupport

@testable import CoreNetKitSignatures

@Suite("HTTP Message Signatures", .timeLimit(.minutes(10)), .paced)
struct HTTPMessageSignatureTests {
    private static let created = Date(timeIntervalSince1970: 1_618_884_473.9)

    /// The request of RFC 9421, B.2.
    private func request(_ url: String = "https://example.com/foo?param=Value&Pet=dog") throws -> TransportRequest {
        TransportRequest(
            method: .post,
            url: try #require(URL(string: url)),
            headers: ["Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json"],
            body: .bytes(Data(#"{"hello": "world"}"#.utf8))
        )
    }

    /// A key whose signature is what it signs.
    private let echo = HTTPMessageSignature.Key(id: "test-key-ed25519") { $0 }

    private func base(_ components: [String], _ request: TransportRequest) async throws -> String {
        let signed = try await HTTPMessageSignature(echo, covering: components, origins: .any)
            .signed(request, at: Self.created)
        let field = try #require(signed.headers["Signature"]?.dropFirst("sig1=:".count).dropLast())
        return String(decoding: try #require(Data(base64Encoded: String(field))), as: UTF8.self)
    }

    @Test("with a secret matches RFC 9421, B.2.5")
    func secret() async throws {
        let text = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
        let key = HTTPMessageSignature.Key.hmac(try #require(Data(base64Encoded: text)), id: "test-shared-secret")
        var signature = HTTPMessageSignature(key, covering: ["date", "@authority", "content-type"], origins: .any)
        signature.label = "sig-b25"
        #expect(signature.problem == nil)
        let found = try await signature.signed(request(), at: Self.created)
        #expect(found.headers["Signature"] == "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
        let parameters = #"("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        #expect(found.headers["Signature-Input"] == "sig-b25=\(parameters)")
    }

    @Test("has the base of RFC 9421, B.2.6")
    func closure() async throws {
        let components = ["date", "@method", "@path", "@authority", "content-type", "content-length"]
        #expect(
            try await base(components, request()) == """
                "date": Tue, 20 Apr 2021 02:07:55 GMT
                "@method": POST
                "@path": /foo
                "@authority": example.com
                "content-type": application/json
                "content-length": 18
                "@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");\
                created=1618884473;keyid="test-key-ed25519"
                """
        )
    }

    @Test(
        "covers the parts of a URL as the server sees them (RFC 9421, 2.2)",
        arguments: [
            ("https://h", "https://h/", "h", "/", "?", "/"),
            ("https://h?a", "https://h/?a", "h", "/", "?a", "/?a"),
            ("HTTP://H.:80/a+b//?a&&b=&c#f", "http://h/a+b//?a&&b=&c", "h", "/a+b//", "?a&&b=&c", "/a+b//?a&&b=&c"),
            ("https://u:p@h:8443/%20?", "https://h:8443/%20?", "h:8443", "/%20", "?", "/%20?"),
            ("http+unix://%2Frun%2Fa.sock/x?y", "http://localhost/x?y", "localhost", "/x", "?y", "/x?y"),
        ]
    )
    func parts(url: String, whole: String, host: String, path: String, query: String, target: String) async throws {
        let components = ["@target-uri", "@authority", "@path", "@query", "@request-target", "@scheme"]
        let lines = try await base(components, request(url)).split(separator: "\n").dropLast().map(String.init)
        let values = [whole, host, path, query, target, String(whole.prefix { $0 != ":" })]
        #expect(lines == zip(components, values).map { "\"\($0)\": \($1)" })
    }

    @Test("has its parameters in order, and escapes them")
    func parameters() async throws {
        let key = HTTPMessageSignature.Key(id: #"a"b\c"#, algorithm: "ed25519") { $0 }
        var signature = HTTPMessageSignature(key, covering: [], origins: .any)
        signature.lifetime = .seconds(300)
        signature.tag = "app"
        signature.nonce = { "once" }
        let found = try await signature.signed(request(), at: Self.created)
        let strings = #"nonce="once";alg="ed25519";keyid="a\"b\\c";tag="app""#
        #expect(found.headers["Signature-Input"] == "sig1=();created=1618884473;expires=1618884773;\(strings)")
    }

    @Test("adds the date and the digest of the content if they are covered and missing")
    func added() async throws {
        var input = try request()
        input.headers.remove("Date")
        let signature = HTTPMessageSignature(echo, covering: ["date", "content-digest"], origins: .any)
        let found = try await signature.signed(input, at: Self.created)
        #expect(found.headers["Date"] == "Tue, 20 Apr 2021 02:07:53 GMT")
        #expect(found.headers["Content-Digest"] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
        input.headers["Content-Digest"] = "sha-256=:AA==:"
        #expect(try await signature.signed(input, at: Self.created).headers["Content-Digest"] == "sha-256=:AA==:")
    }

    @Test("joins the lines of a field, and leaves other signatures of the request")
    func several() async throws {
        var input = try request()
        input.headers.append("X-A", "1")
        input.headers.append("x-a", "2")
        #expect(try await base(["x-a"], input).hasPrefix("\"x-a\": 1, 2\n"))
        input.headers["Signature"] = "proxy=:AA==:"
        let found = try await HTTPMessageSignature(echo, covering: [], origins: .any).signed(input, at: Self.created)
        #expect(found.headers[values: "Signature"].count == 2)
    }

    @Test("of a field that the request lacks, or of text that is not ASCII, fails")
    func missing() async throws {
        let input = try request()
        let lacking = await failure { _ = try await base(["x-a"], input) }
        #expect(lacking?.code == .invalidRequest && lacking?.message.contains("x-a") == true)
        let odd = TransportRequest(url: input.url, headers: ["X-A": "ü"])
        #expect(await failure { _ = try await base(["x-a"], odd) }?.code == .invalidRequest)
    }

    @Test("says which setting is impossible")
    func problems() {
        func problem(_ components: [String] = ["@method"], _ change: (inout HTTPMessageSignature) -> Void = { _ in })
            -> String?
        {
            var signature = HTTPMessageSignature(echo, covering: components, origins: .any)
            change(&signature)
            return signature.problem
        }
        #expect(problem() == nil)
        for name in ["@status", "Date"] { #expect(problem([name])?.contains(name) == true) }
        #expect(problem(["a b"]) != nil && problem([""]) != nil)
        #expect(problem(["date", "date"])?.contains("twice") == true)
        for lifetime in [.zero, .milliseconds(999), .seconds(Int64.max)] as [Duration] {
            #expect(problem { $0.lifetime = lifetime }?.contains("lifetime") == true)
        }
        for label in ["", "Sig", "1a", "a=b", "ü", "a\n"] {
            #expect(problem { $0.label = label }?.contains("label") == true)
        }
        #expect(problem { $0.label = "a1_-.*" } == nil)
        #expect(problem { $0.tag = "ü" }?.contains("ASCII") == true)
        let key = HTTPMessageSignature.Key(id: "a\nb") { $0 }
        #expect(HTTPMessageSignature(key, covering: [], origins: .any).problem != nil)
    }
}
