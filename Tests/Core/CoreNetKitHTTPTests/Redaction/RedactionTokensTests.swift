import CoreNetKitHTTP
import Foundation
import TestPace
import Testing

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
