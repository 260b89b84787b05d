import CoreNetKitHTTP
import Foundation
import SecretKinds
import TestPace
import Testing

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
