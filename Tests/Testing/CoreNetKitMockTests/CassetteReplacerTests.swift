import TestSupport

@testable import CoreNetKitMock

@Suite("Known secrets in what a tape keeps", .paced)
struct CassetteReplacerTests {
    private let replacer: CassetteReplacer
    private let token: String

    init() throws {
        var redactor = Redactor(.numbered)
        _ = redactor.url("http://a.test/?token=s3cretvalue")
        replacer = CassetteReplacer(tokens: redactor.tokens, shortest: CassetteReplacer.shortestOfResponse)
        token = try #require(redactor.tokens.known("s3cretvalue"))
    }

    @Test("are replaced as whole words, as parts of words, and encoded behind the marks of a URL")
    func places() {
        let inURL = RedactionTokens.inURL(token)
        #expect(token != inURL)
        for (text, expected) in [
            ("s3cretvalue", token), ("say s3cretvalue now", "say \(token) now"), ("x:s3cretvalue", "x:\(token)"),
            ("/a/s3cretvalue/b", "/a/\(inURL)/b"), ("?s3cretvalue", "?\(inURL)"), ("as3cretvalue", "as3cretvalue"),
        ] {
            #expect(replacer.replaced(text, as: .text) == expected, "\(text)")
        }
    }
}
