import CoreNetKitHTTP
import TestPace

@Suite("The excerpt of a content", .timeLimit(.minutes(10)), .paced)
struct ContentExcerptTests {
    private static let rows: [(type: String?, content: String, shown: String)] = [
        ("application/json", #"{"error":"taken","token":"s3cret"}"#, #"{"error":"taken","token":"REDACTED"}"#),
        ("application/problem+json", "{\n  \"detail\": \"no\"\r\n}", #"{ "detail": "no" }"#),
        ("application/x-www-form-urlencoded", "error=taken&password=s3cret", "error=taken&password=REDACTED"),
        ("text/plain", "the name is taken", "the name is taken"),
        (
            "Text/Plain; charset=utf-8", "a: 1\npassword: s3cret s3cret\nAuthorization: Bearer s3cret",
            "a: 1 password: REDACTED Authorization: REDACTED"
        ),
        ("text/plain", "api_key = s3cret", "api_key = REDACTED"),
        ("text/plain", "\"client_secret\" : 's3cret'", "\"client_secret\" : REDACTED"),
        ("text/plain", "see https://u:s3cret@a.test/x?page=2", "see https://REDACTED:REDACTED@a.test/x?page=2"),
        ("text/plain", #"failed: {"token":"s3cret","error":"x"}"#, #"failed: {"token":"REDACTED","error":"x"}"#),
        ("text/plain", "password: {\"a\":\"s3cret\"}", "password: REDACTED"),
        ("text/plain", "it is s3cretAAAABBBBCCCCDDDDabcdefgh0123", "it is REDACTED"),
        ("text/plain", "key:\n-----BEGIN PRIVATE KEY-----\ns3cret", "key: REDACTED"),
        (
            "text/event-stream", "event: error\ndata: {\"token\":\"s3cret\",\"error\":\"busy\"}\n\n",
            #"event: error data: {"token":"REDACTED","error":"busy"}"#
        ),
        (
            "application/xml", "<Error><Code>Taken</Code><Token>s3cret</Token></Error>",
            "<Error><Code>Taken</Code><Token>REDACTED</Token></Error>"
        ),
        ("text/xml", #"<password><v a="1">s3cret</v></password>"#, "<password>REDACTED</password>"),
        ("application/soap+xml", "<a:Password T='x'>s3cret</a:Password>", "<a:Password T='x'>REDACTED</a:Password>"),
        ("text/xml", "<password><![CDATA[s3cret]]></password>", "<password>REDACTED</password>"),
        ("text/xml", #"<login password="s3cret" name="Ann"/>"#, #"<login password="REDACTED" name="Ann"/>"#),
        ("text/html", "<p>s3cret</p>", "(text/html, 13 bytes: not shown)"),
        ("application/xhtml+xml", "<p>s3cret</p>", "(application/xhtml+xml, 13 bytes: not shown)"),
        ("image/png", "s3cret", "(image/png, 6 bytes: not shown)"), (nil, "s3cret", "(no type, 6 bytes: not shown)"),
        (nil, #"{"error":"taken"}"#, #"{"error":"taken"}"#),
        ("text/html", #"{"error":"taken"}"#, #"{"error":"taken"}"#),
    ]

    @Test("is one line without secrets, or the reason why there is none", arguments: rows)
    func shown(type: String?, content: String, shown: String) {
        var redactor = Redactor()
        #expect(redactor.excerpt(Data(content.utf8), type: type, limit: 1000) == shown)
    }

    @Test("shows no part of a secret, wherever it is cut, and no more than its limit", arguments: rows)
    func cut(type: String?, content: String, shown: String) {
        for limit in -1...content.utf8.count {
            var redactor = Redactor()
            let text = redactor.excerpt(Data(content.utf8), type: type, limit: limit)
            #expect(!text.contains("s3c"), "\(limit)")
            guard !text.hasSuffix("not shown)") else { continue }
            #expect(text.utf8.count <= max(limit, 0) + "…".utf8.count, "\(limit)")
            #expect(text.hasSuffix("…") || limit == content.utf8.count, "\(limit)")
        }
    }

    @Test("has the lines of a text in a record, the empty ones that end events among them")
    func lines() {
        var redactor = Redactor()
        redactor.showsTexts = true
        let shown = redactor.body(Data("data: 1\r\n\r\ndata: 2\n\n".utf8), type: "text/event-stream")
        #expect(shown == Data("data: 1\n\ndata: 2\n\n".utf8))
    }

    @Test("of bytes that are no text is their size")
    func binary() {
        var redactor = Redactor()
        #expect(
            redactor.excerpt(Data([0xFF, 0xFE]), type: "text/plain", limit: 9) == "(text/plain, 2 bytes: not shown)"
        )
    }
}
