import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace

@Suite("The redactor", .paced)
struct RedactorTests {
    @Test(
        "removes secrets from URLs and keeps them valid",
        arguments: [
            ("http://a.test/x", "http://a.test/x"), ("http://a.test/x?page=2#frag", "http://a.test/x?page=2"),
            ("http://user:pa55@a.test/x", "http://REDACTED:REDACTED@a.test/x"),
            ("http://user@a.test/", "http://REDACTED@a.test/"),
            ("http://[::1]:8080/x?token=s3cret", "http://[::1]:8080/x?token=REDACTED"),
            ("http://a.test/x?%74oken=s3cret", "http://a.test/x?%74oken=REDACTED"),
            ("http://a.test/x?%2574oken=s3cret", "http://a.test/x?%2574oken=REDACTED"),
            ("http://a.test/x?user[password]=s3cret&b=1", "http://a.test/x?user[password]=REDACTED&b=1"),
            ("http://a.test/x?user%5Bpassword%5D=s3cret", "http://a.test/x?user%5Bpassword%5D=REDACTED"),
            ("http://a.test/x?token[]=s3cret&token[]=t", "http://a.test/x?token[]=REDACTED&token[]=REDACTED"),
            (
                "http://a.test/x?Access_Token=s3cret&access_token=t",
                "http://a.test/x?Access_Token=REDACTED&access_token=REDACTED"
            ),
            ("/cb?code=s3cret;state=t", "/cb?code=REDACTED;state=REDACTED"),
            (
                "http://a.test/?next=http%3A%2F%2Fb%2F%3Ftoken%3Ds3cret",
                "http://a.test/?next=http%3A%2F%2Fb%2F%3Ftoken%3DREDACTED"
            ),
            ("http://a.test/?pageToken=abc&token=", "http://a.test/?pageToken=abc&token="),
            ("http://a.test/?q=eyJhbGciOi.eyJzdWIi.c2lnbmF0", "http://a.test/?q=REDACTED"),
        ]
    )
    func urls(url: String, shown: String) {
        var redactor = Redactor()
        #expect(redactor.url(url) == shown)
        #expect(redactor.url(shown) == shown)
    }

    @Test(
        "removes secrets from field lines and keeps schemes, cookie names and parameters",
        arguments: [
            ("Authorization", "Bearer s3cret", "Bearer REDACTED"), ("Authorization", "s3cret", "REDACTED"),
            ("Cookie", "sid=s3cret; theme=dark", "sid=REDACTED; theme=REDACTED"),
            ("Set-Cookie", "sid=s3cret; Path=/; HttpOnly", "sid=REDACTED; Path=/; HttpOnly"),
            ("WWW-Authenticate", #"Digest realm="a", nonce="s3, cret""#, "Digest realm=REDACTED, nonce=REDACTED"),
            ("WWW-Authenticate", "Negotiate czNjcmV0==", "Negotiate REDACTED"), ("WWW-Authenticate", "Basic", "Basic"),
            ("Location", "/next?code=s3cret#f", "/next?code=REDACTED"),
            ("Link", "</a?token=s3cret>; rel=next, </b>; rel=prev", "</a?token=REDACTED>; rel=next, </b>; rel=prev"),
            ("Refresh", "5; url=http://a.test/?token=s3cret", "5; url=http://a.test/?token=REDACTED"),
            ("X-Acme", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3", "REDACTED"),
            ("X-Custom", "eyJhbGciOi.eyJzdWIi.c2lnbmF0", "REDACTED"),
            ("ETag", "\"0123456789abcdefABCDEF0123456789\"", "\"0123456789abcdefABCDEF0123456789\""),
            ("Idempotency-Key", "k-1", "k-1"),
        ]
    )
    func fields(name: String, value: String, shown: String) {
        var redactor = Redactor()
        #expect(redactor.value(of: .init(name: name, value: value)) == shown)
    }

    @Test(
        "removes secrets from messages and leaves sentences alone",
        arguments: [
            (
                "GET http://u:s3cret@a.test/?token=s3cret was refused",
                "GET http://REDACTED:REDACTED@a.test/?token=REDACTED was refused"
            ),
            (#"{"password": "s3cret and more", "page": "2"}"#, #"{"password": "REDACTED", "page": "2"}"#),
            ("Authorization: Bearer s3cret", "Authorization: REDACTED"),
            ("sent Bearer s3cret, again", "sent Bearer REDACTED, again"),
            ("token=s3cret&page=2", "token=REDACTED&page=2"),
            ("no token: the refresh failed", "no token: the refresh failed"),
            ("the token was rejected: unauthorized", "the token was rejected: unauthorized"),
            ("status 503, 2 bytes", "status 503, 2 bytes"), ("see http://a.test/x.", "see http://a.test/x."), ("", ""),
        ]
    )
    func messages(text: String, shown: String) {
        var redactor = Redactor()
        #expect(redactor.message(text) == shown)
    }

    @Test(
        "replaces the values of secret members of JSON at any depth",
        arguments: [
            (#"{"user":{"password":"s3cret","name":"Ann"}}"#, #"{"user":{"password":"REDACTED","name":"Ann"}}"#),
            (#"{ "token" : {"a":["s3cret"]} , "b":1}"#, #"{ "token" : {"a":["REDACTED"]} , "b":1}"#),
            (#"{"\u0070assword":"s3cret"}"#, #"{"\u0070assword":"REDACTED"}"#),
            (#"{"token":null,"otp":123456,"code":7}"#, #"{"token":null,"otp":"REDACTED","code":7}"#),
            (#"[{"url":"http://a.test/?token=s3cret"}]"#, #"[{"url":"http://a.test/?token=REDACTED"}]"#),
            (#"["eyJhbGciOi.eyJzdWIi.c2lnbmF0"]"#, #"["REDACTED"]"#),
        ]
    )
    func json(text: String, shown: String) throws {
        var redactor = Redactor()
        let kept = redactor.body(Data(text.utf8), type: "application/json; charset=utf-8")
        let body = try #require(kept)
        #expect(String(decoding: body, as: UTF8.self).replacing(" ", with: "") == shown.replacing(" ", with: ""))
    }

    @Test("keeps forms without their secrets, and nothing of an unknown type")
    func bodies() {
        var redactor = Redactor()
        let form = redactor.body(Data("a=1&password=s3cret".utf8), type: "application/x-www-form-urlencoded")
        #expect(form == Data("a=1&password=REDACTED".utf8))
        #expect(redactor.body(Data("s3cret".utf8), type: "text/plain") == nil)
        #expect(redactor.body(Data("<html>s3cret".utf8), type: "application/json") == nil)
        #expect(redactor.body(Data(#"{"pin":"s3c"#.utf8), type: "text/json") == Data(#"{"pin":"REDACTED""#.utf8))
        let long = redactor.body(
            Data("[\"\(String(repeating: "é", count: 100))\"]".utf8),
            type: "application/json",
            limit: 51
        )
        #expect(long.map { String(decoding: $0, as: UTF8.self).hasSuffix("é…") } == true)
    }

    @Test("gives the same placeholder for the same secret if it numbers them")
    func placeholders() {
        var redactor = Redactor(.numbered)
        let first = redactor.value(of: .init(name: "Authorization", value: "Bearer a"))
        let second = redactor.value(of: .init(name: "Authorization", value: "Bearer b"))
        #expect(first == "Bearer {{authorization-1}}")
        #expect(second == "Bearer {{authorization-2}}")
        #expect(redactor.value(of: .init(name: "authorization", value: "Bearer a")) == first)
        #expect(redactor.url("http://a.test/?token=x") == "http://a.test/?token=%7B%7Btoken-1%7D%7D")
    }

    @Test("reports once where it found something that looks like a secret")
    func hints() {
        var redactor = Redactor()
        for _ in 0..<3 { _ = redactor.url("http://a.test/?q=aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3") }
        #expect(redactor.hints == ["the query item 'q' looks like a secret"])
    }

    @Test("never traps on random bytes, and its output is stable")
    func fuzz() {
        var random = SplitMix64(seed: 7)
        let alphabet = Array("ab=&?#@:/;%[]\"'{}\\, u0070token<>\u{1}é".unicodeScalars)
        for _ in 0..<3000 {
            let count = Int(random.next() % 40)
            let text = String(
                String.UnicodeScalarView((0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
            )
            var redactor = Redactor()
            #expect(redactor.url(redactor.url(text)) == redactor.url(text))
            _ = redactor.message(text)
            _ = redactor.body(Data(text.utf8), type: "application/json")
            for name in ["Cookie", "WWW-Authenticate", "Link", "Refresh", "Authorization"] {
                _ = redactor.value(of: .init(name: name, value: text))
            }
        }
    }
}

@Suite("Tokens for the secrets of a tape", .timeLimit(.minutes(10)), .paced)
struct RedactionTokensTests {
    @Test(
        "are found in a text, as they are and encoded as in URLs",
        arguments: [
            ("", []), ("{{}}", []), ("a {b} %41", []), ("{{token-1}}", ["{{token-1}}"]),
            ("a {{b-1}}{{c-2}} d", ["{{b-1}}", "{{c-2}}"]), ("{{{{b-1}}", ["{{b-1}}"]), ("{{b-1} {{c-1}}", ["{{c-1}}"]),
            ("{{b 1}} {{c-1", []), ("?a=%7B%7Bb-1%7D%7D&c=%7b%7bd-2%7d%7d", ["{{b-1}}", "{{d-2}}"]),
            ("%7B%7Bb 1%7D%7D%7B%7Bc-1%7D%7D", ["{{c-1}}"]), ("%7B%7Bb-1%7D", []), ("%7B%7Bb-1%7D%7E", []),
        ]
    )
    func all(text: String, expected: [String]) {
        #expect(RedactionTokens.all(in: text).map { String($0) } == expected)
    }

    @Test(
        "are decoded in a text, which is otherwise unchanged",
        arguments: [
            ("%41%7B%7Bb-1%7D%7D%42", "%41{{b-1}}%42"), ("%7b%7bb-1%7D%7D", "{{b-1}}"),
            ("%7B%7B%7D%7D", "%7B%7B%7D%7D"),
            ("%7B%7Bb-1%7D%7", "%7B%7Bb-1%7D%7"), ("%7B%7Bb_1%7D%7D", "%7B%7Bb_1%7D%7D"), ("%7B%7C", "%7B%7C"),
        ]
    )
    func plain(text: String, expected: String) { #expect(RedactionTokens.plain(text) == expected) }

    @Test("secret numbers become others with as many digits, one after the other")
    func numbers() {
        var redactor = Redactor(.numbered)
        let text = #"{"otp":[123456,654321,-7777,123456]}"#
        let shown = String(decoding: redactor.json(Data(text.utf8)), as: UTF8.self)
        #expect(shown == #"{"otp":[100001,100002,-1001,100001]}"#)
    }

    @Test("a number on a tape is given to no other secret")
    func reserved() {
        var redactor = Redactor(.numbered)
        redactor.tokens.reserve(in: "{{token-7}} {{token-3}} {{token-x}} %7B%7Bpin-2%7D%7D")
        #expect(redactor.replacement(of: "s3cret", named: "token") == "{{token-8}}")
        #expect(redactor.replacement(of: "0000", named: "pin") == "{{pin-3}}")
        #expect(redactor.replacement(of: "{{token-7}}", named: "token") == "{{token-7}}")
        #expect(redactor.replacement(of: "%7B%7Btoken-7%7D%7D", named: "token") == "{{token-7}}")
    }
}
