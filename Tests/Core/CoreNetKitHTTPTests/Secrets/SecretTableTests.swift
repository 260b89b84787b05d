import SecretKinds
import TestPace

@testable import CoreNetKitHTTP

@Suite("The secret rules", .timeLimit(.minutes(10)), .paced)
struct SecretTableTests {
    static let canary = SecretKind.canary

    @Test("the table has at least 230 kinds and 300 harmless rows, each once")
    func size() {
        #expect(SecretKind.all.count >= 230)
        #expect(Set(SecretKind.all).count == SecretKind.all.count)
        #expect(HarmlessName.count >= 300)
    }

    @Test("each secret name is secret in its place")
    func secretNames() {
        let rules = SecretRules.standard
        #expect(SecretKind.fields.map(\.text).filter { rules.verdict(field: $0) != .secret } == [])
        #expect(SecretKind.items.map(\.text).filter { rules.verdict(item: $0) != .secret } == [])
        #expect(SecretKind.members.map(\.text).filter { rules.verdict(member: $0) != .secret } == [])
    }

    @Test("each harmless name is harmless in its place")
    func harmlessNames() {
        let rules = SecretRules.standard
        #expect(HarmlessName.fields.filter { rules.verdict(field: $0) != .harmless } == [])
        #expect(HarmlessName.items.filter { rules.verdict(item: $0) != .harmless } == [])
        #expect(HarmlessName.members.filter { rules.verdict(member: $0) != .harmless } == [])
    }

    @Test("a name that begins and ends like a common harmless field is checked like any other")
    func likeCommonNames() {
        let names = [
            "x-request-secret-request-id", "accept-l-secret-language", "if-match-secret-if-match",
            "X-Request-Secret-Request-Id",
        ]
        #expect(names.filter { SecretRules.standard.verdict(field: $0) != .secret } == [])
    }

    @Test("in doubt are names that may identify the user, and those with a secret word that they are not about")
    func inDoubt() {
        let names = [
            "X-User-Id", "X-Session-Color", "X-Tenant-Id", "X-Forwarded-User", "X-Forwarded-Email", "X-Client-Cert",
            "X-Auth-Request-User", "X-Device-Id", "X-Account-Id", "Sec-Token-Binding",
        ]
        #expect(names.filter { SecretRules.standard.verdict(field: $0) != .inDoubt } == [])
    }

    @Test("a secret field does not cross origins, nor does one in doubt; a harmless one does")
    func crossing() {
        for kind in SecretKind.fields {
            var headers: Headers = [kind.text: Self.canary, "Accept": "*/*"]
            headers.removeSecrets()
            #expect(headers.map(\.name) == ["Accept"], "\(kind)")
        }
        var doubtful: Headers = ["X-User-Id": "7"]
        doubtful.removeSecrets()
        #expect(doubtful.isEmpty)
        for name in HarmlessName.fields {
            var headers: Headers = [name: "7"]
            headers.removeSecrets()
            #expect(headers.count == 1, "\(name)")
        }
        var referer: Headers = ["Referer": "https://a.test/?token=\(Self.canary)"]
        referer.removeSecrets()
        #expect(referer.isEmpty)
    }

    @Test("views omit each of them: fields, URLs, forms, JSON, messages")
    func views() {
        for kind in SecretKind.all {
            var redactor = Redactor()
            var shown: [String] = []
            if let line = kind.line { shown.append(redactor.value(of: .init(name: line.name, value: line.value))) }
            if let name = kind.field { shown.append(redactor.value(of: .init(name: name, value: Self.canary))) }
            if let url = kind.url { shown.append(redactor.url(url)) }
            if let form = kind.urlForm { shown.append(redactor.items(form)) }
            if let message = kind.message { shown.append(redactor.message(message)) }
            let json = redactor.body(Data(kind.json.utf8), type: "application/json")
            shown.append(json.map { String(decoding: $0, as: UTF8.self) } ?? SecretKind.canary)
            #expect(shown.filter { $0.contains(Self.canary) } == [], "\(kind)")
        }
    }

    @Test("numbered placeholders stand for each of them on a tape")
    func tapes() {
        for kind in SecretKind.all {
            var redactor = Redactor(.numbered)
            let json = String(decoding: redactor.json(Data(kind.json.utf8)), as: UTF8.self)
            #expect(!json.contains(Self.canary) && (json.contains("-1") || kind.text.contains("#")), "\(kind): \(json)")
        }
    }

    @Test("a JSON text cut at any byte shows none of them")
    func cut() {
        var leaks: [String] = []
        for kind in SecretKind.all {
            let text = Array(kind.json.utf8)
            for end in text.indices {
                var redactor = Redactor()
                let shown = String(decoding: redactor.json(Data(text[..<end])), as: UTF8.self)
                if shown.contains(SecretKind.start) { leaks.append("\(kind): \(shown)") }
            }
        }
        #expect(leaks.prefix(10) == [])
    }

    @Test("harmless ones are shown unchanged")
    func unchanged() throws {
        for name in HarmlessName.fields {
            var redactor = Redactor()
            let value = Self.value(of: name)
            let shown = redactor.value(of: .init(name: name, value: value))
            if !name.hasSuffix("-Authenticate") { #expect(shown == value, "\(name)") }
        }
        for name in HarmlessName.items {
            var redactor = Redactor()
            let url = "https://a.test/x?\(name)=CAUQAA~b-7&x=1"
            #expect(redactor.url(url) == url)
            #expect(redactor.items("\(name)=7") == "\(name)=7")
        }
        for name in HarmlessName.members {
            var redactor = Redactor()
            let text = #"{"\#(name)":"CAUQAA~b-7"}"#
            #expect(String(decoding: redactor.json(Data(text.utf8)), as: UTF8.self) == text)
        }
        for name in HarmlessName.numbers {
            var redactor = Redactor()
            let text = #"{"\#(name)":42,"usage":{"\#(name)":true}}"#
            #expect(String(decoding: redactor.json(Data(text.utf8)), as: UTF8.self) == text)
        }
    }

    /// What stands in such a field, where that matters.
    static func value(of name: String) -> String {
        switch name {
        case "X-Amz-Cf-Id": "zgZtpgKWnBSkC3zMyjDp4mPFOMDRTnrC9Z9vMbAlPcQVzBSA4vAeWQ=="
        case "Location", "Referer", "Content-Location": "https://a.test/x?page=2"
        case "Link": #"<https://a.test/x?page=2>; rel="next""#
        case "Refresh": "5; url=https://a.test/"
        case "Server-Timing": "cache;desc=\"hit\";dur=2.3"
        default: "a=1; b=\"2\", c/3"
        }
    }
}

@Suite("Names known by a few words", .timeLimit(.minutes(10)), .paced)
struct NameTableTests {
    private static let names = [
        "te", "age", "date", "accept", "location", "if-match", "user-agent", "x-request-id", "if-modified-since",
        "if-unmodified-since",
    ]
    private let table = NameTable(names.joined(separator: " "))

    private func contains(_ name: some Sequence<UInt8>) -> Bool {
        Array(name).withUnsafeBufferPointer { table.contains($0) }
    }

    @Test("each name is found, in any case")
    func same() {
        for name in Self.names { #expect(contains(name.utf8) && contains(name.uppercased().utf8), "\(name)") }
    }

    @Test("a name with one letter more, less or different is not found")
    func near() {
        var found: [String] = []
        for name in Self.names.map({ Array($0.utf8) }) {
            for (index, letter) in name.indices.flatMap({ index in "-0az~".utf8.map { (index, $0) } }) {
                var others = [name, name, name]
                others[0][index] = letter
                others[1].insert(letter, at: index)
                others[2].remove(at: index)
                for other in others where other != name && contains(other) {
                    found.append(String(decoding: other, as: UTF8.self))
                }
            }
        }
        #expect(found == [])
        #expect(!contains("".utf8) && !contains("x".utf8) && !contains(String(repeating: "a", count: 100).utf8))
    }
}

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
            "a=%41", "a=AKIAIOSFODNN7EXA", "a={\"token\":1}", "next=http://a.test/?token=1", "a=1;token=2",
            "a=1#token=2", "u@x=1", "a=u@x", "page?=1",
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
