@testable import CoreNetKitHTTP
import TestPace
import Testing

@Suite("A look at the bytes of a query", .timeLimit(.minutes(10)), .paced)
struct PlainQueryTests {
    private func isPlain(_ query: String, by rules: SecretRules = .standard) -> Bool {
        var query = query
        return query.withUTF8 { rules.isPlainlyHarmless(query: $0) }
    }

    @Test(
        "finds names harmless that a reader of items finds harmless, whatever the values",
        arguments: [
            "", "&", "flag", "page=2", "page=2&per_page=50", "q=a+b&sort=-price", "a=&b=1", "filter[name]=x&x", "a==b",
            "from=2026-01-01&to=2026-02-01T10:00:00", "max_tokens=9", "next_page_token=abc", "=1",
        ]
    )
    func harmless(_ query: String) {
        #expect(isPlain(query))
        #expect(!Redaction.hasSecrets(url: "https://a.test/x?" + query, by: .standard))
    }

    @Test(
        "leaves to that reader what is secret, encoded, or may hold another text",
        arguments: [
            "token=1", "page=2&access_token=x", "x[token]=1", "code=1", "session_hint=1", "%74oken=1", "to+ken=1",
            "a=%41",
            "a=AKIAIOSFODNN7EXA", "a={\"token\":1}", "next=http://a.test/?token=1", "a=1;token=2", "a=1#token=2",
            "u@x=1", "a=u@x", "page?=1",
        ]
    )
    func doubtful(_ query: String) { #expect(!isPlain(query)) }

    @Test("decides nothing by rules of somebody's own")
    func own() {
        #expect(!isPlain("page=2", by: .standard.adding(items: ["page"])))
        #expect(!isPlain("page=2", by: .standard.exempting(items: ["token"])))
    }

    @Test("knows no common name that the table of words finds secret, or in doubt")
    func common() {
        let names = SecretTable.commonItemNames.split(whereSeparator: \.isWhitespace).map { String($0) }
        #expect(names.count >= 50)
        // Brackets are no letters: the words are the same, and the list does not have it.
        for name in names { #expect(SecretRules.standard.verdict(item: name + "[]") == .harmless, "\(name)") }
    }
}
