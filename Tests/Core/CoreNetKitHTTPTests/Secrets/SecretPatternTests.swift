import CoreNetKitHTTP
import CoreNetKitSystem
import SecretKinds
import TestPace

@Suite("Secrets by their values", .timeLimit(.minutes(10)), .paced)
struct SecretPatternTests {
    private static let random = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3"
    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"

    @Test("there are at least 40 kinds of values")
    func size() { #expect(SecretKind.values.count >= 40) }

    @Test("a token of a known form under an unknown name is a credential, and stays with its origin")
    func tokens() throws {
        for kind in SecretKind.values {
            let line = try #require(kind.line)
            let field = Headers.Field(name: line.name, value: line.value)
            #expect(SecretRules.standard.isCredential(field: line.name, value: line.value), "\(kind)")
            #expect(!SecretRules.standard.isHarmless(field: line.name, value: line.value), "\(kind)")
            #expect(Redaction.hasSecrets(field, by: .standard), "\(kind)")
            var headers: Headers = [line.name: line.value, "Accept": "*/*"]
            headers.removeSecrets()
            #expect(headers.map(\.name) == ["Accept"], "\(kind)")
        }
    }

    @Test(
        "credentials of other forms count, too",
        arguments: [
            random, "Bearer abcdef12", "Basic dTpwYXNzd29yZA==", "token 0123456789", "AKIAIOSFODNN7EXAMPLE",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709", "v1;\(jwt)", "q7w8e9r1t2y3u4i5o6p7a8s9d1f2g3h4", "a b \(jwt)",
            "dGhpcyBpcyA0NSByYW5kb20gYnl0ZXMgb2Ygbm9ib2R5OTk=",
        ]
    )
    func others(value: String) {
        #expect(SecretRules.standard.isCredential(field: "X-Acme-Caller", value: value))
    }

    @Test(
        "ids, versions, words and dates do not",
        arguments: [
            "1", "", "550e8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000",
            "0123456789abcdef0123456789abcdef", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "V1StGXR8_Z5jdHi6B-myT",
            "Wed, 25 Nov 2026 22:33:44 GMT", "2026-11-25T22:33:44.123456789Z", "Mozilla/5.0 (X11; Linux x86_64)",
            "experiment-2024-checkout-button-blue-variant-b", "com.example.shop.ios.release.2024.11.25",
            "SG.Annual.Report.of.Nothing", "ASIA-PACIFIC-REGION-NORTH", "https://a.test/x?page=2&sort=name&order=asc",
            "eyJpZCI6MTIzfQ", "application/vnd.example.v2+json", "text/html;q=0.9, */*;q=0.8",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
            "12345678901234567890123456789012345678901234567890", "en-US,en;q=0.5",
            "\"0123456789abcdefABCDEF0123456789\"",
        ]
    )
    func harmless(value: String) {
        #expect(!SecretRules.standard.isCredential(field: "X-Acme-Request", value: value))
        #expect(SecretRules.standard.isHarmless(field: "X-Acme-Request", value: value))
    }

    @Test(
        "a text is random from 32 characters, a fifth of changes and at most a sixth of other characters",
        arguments: [
            (String(repeating: "g1", count: 16), true), ("g" + String(repeating: "1g", count: 15), false),
            (String(repeating: "a1", count: 17), true), (String(repeating: "a1", count: 16), false),
            ("ghijk2345ghijk2345ghijk2345ghij2345", true), ("ghijk2345ghijk2345ghijk2345ghijk2345", false),
            (String(repeating: "g1h2k-", count: 6), true), (String(repeating: "g1h2k-", count: 6) + "g1h2-", false),
            ("ghijk-ghijk-ghijk-ghijk-ghijk-gh1j1-", false),
        ]
    )
    func opaque(value: String, isOpaque: Bool) { #expect(SecretPattern.isOpaque(value) == isOpaque, "\(value)") }

    @Test("a token of three parts has at least 16 characters", arguments: [("c2lnbm", true), ("c2lnb", false)])
    func shortest(end: String, isToken: Bool) { #expect(SecretPattern.hasToken("eyJh.eyJz.\(end)") == isToken) }

    @Test("a full stop ends a sentence, not a token whose end is missing")
    func fullStop() {
        #expect(SecretPattern.tokens(in: "eyJhbG.", isCut: true) == [0..<7])
        #expect(SecretPattern.tokens(in: "AKIAIOSFODNN7EXAMPLE..") == [0..<20])
    }

    @Test(
        "a random text is no credential under a name that is known to have one, nor any value under an exempted name"
    )
    func names() {
        for name in ["X-Amz-Cf-Id", "X-Acme-Request-Id", "X-Acme-Content-Sha256", "X-Acme-Trace-Id", "CF-Ray", "ETag"] {
            #expect(!SecretRules.standard.isCredential(field: name, value: Self.random), "\(name)")
        }
        let rules = SecretRules.standard.exempting(fields: ["X-Acme"])
        #expect(SecretRules.standard.isCredential(field: "X-Acme", value: Self.jwt))
        #expect(!rules.isCredential(field: "X-Acme", value: Self.jwt))
        #expect(SecretRules.standard.isCredential(field: "X-Amz-Cf-Id", value: Self.jwt))
    }

    @Test("a common field is harmless without a look at its value, unless rules of somebody's own name it")
    func common() {
        let own = SecretRules.standard.adding(fields: ["Accept"])
        #expect(SecretRules.standard.isCommon(field: "accept") && !SecretRules.standard.isCommon(field: "X-Acme"))
        #expect(SecretRules.standard.isHarmless(field: "Accept", value: Self.jwt))
        #expect(!own.isCommon(field: "Accept") && !own.isHarmless(field: "Accept", value: "*/*"))
    }

    @Test("a URL with a token in its path or under a harmless name stays in memory")
    func urls() {
        for kind in SecretKind.values {
            #expect(Redaction.hasSecrets(url: kind.url ?? "", by: .standard), "\(kind)")
            let isPlain = Array((kind.urlForm ?? "").utf8).withUnsafeBufferPointer {
                SecretRules.standard.isPlainlyHarmless(query: $0)
            }
            #expect(!isPlain, "\(kind)")
        }
        #expect(!Redaction.hasSecrets(url: "https://a.test/x/\(Self.random)?page=\(Self.random)", by: .standard))
    }

    @Test(
        "tokens among the protocols of a socket are not shown, their names are",
        arguments: [
            (
                "base64url.bearer.authorization.k8s.io.c0FNUExF, v4.channel.k8s.io",
                "base64url.bearer.authorization.k8s.io.REDACTED, v4.channel.k8s.io"
            ),
            ("access_token, s3cret", "access_token, REDACTED"), ("graphql-transport-ws", "graphql-transport-ws"),
            ("chat, Bearer, s3cret", "chat, Bearer, REDACTED"), ("wamp.2.json, mqtt", "wamp.2.json, mqtt"),
            ("v1, \(jwt)", "v1, REDACTED"), ("auth.s3cret", "auth.REDACTED"), ("auth.", "auth."),
        ]
    )
    func protocols(value: String, shown: String) {
        var redactor = Redactor()
        #expect(redactor.value(of: .init(name: "Sec-WebSocket-Protocol", value: value)) == shown)
    }

    @Test(
        "text that is no JSON is not taken for it",
        arguments: [
            ("token=s3cret&x=1", "token=REDACTED&x=1"), ("1 LOGIN bob s3cret", nil), ("true s3cret", nil),
            ("nick s3cret", nil), ("-s3cret", nil), ("\"a\" s3cret", nil), ("fs3cret", nil), ("12", "12"),
            ("0", "0"), ("0.5\r\n9", "0.5\r\n9"), ("1\u{1E}2", "1\u{1E}2"), ("1 2", nil), ("\"a\" \"b\"", nil),
            ("true", "true"), ("1\n2\n\"a\"\n", "1\n2\n\"a\"\n"), ("[s3cret]", "[\"REDACTED\"]"),
            ("{\"a\":1} s3cret", "{\"a\":1} \"REDACTED\""), ("{token=s3cret}", "{\"REDACTED\"}"), ("tru", "tru"),
            ("\"a\"", "\"a\""), ("[1,null,-2e5,tr", "[1,null,-2e5,tr"),
        ] as [(String, String?)]
    )
    func noJSON(text: String, shown: String?) {
        var redactor = Redactor()
        let body = redactor.body(Data(text.utf8), type: "application/json")
        #expect(body.map { String(decoding: $0, as: UTF8.self) } == shown)
    }
}
