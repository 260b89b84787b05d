import CoreNetKitHTTP
import TestPace
import Testing

@testable import CoreNetKitMock

@Suite("Known secrets in what a tape keeps", .paced)
struct CassetteWordsTests {
    private let words: CassetteWords
    private let standIn: String

    init() throws {
        var redactor = Redactor(.numbered)
        _ = redactor.url("http://a.test/?token=s3cretvalue")
        words = CassetteWords(standIns: redactor.standIns, shortest: CassetteWords.shortestOfResponse)
        standIn = try #require(redactor.standIns.known("s3cretvalue"))
    }

    @Test("are replaced as whole words, as parts of words, and encoded behind the marks of a URL")
    func places() {
        let inURL = StandIns.inURL(standIn)
        #expect(standIn != inURL)
        for (text, expected) in [
            ("s3cretvalue", standIn), ("say s3cretvalue now", "say \(standIn) now"), ("x:s3cretvalue", "x:\(standIn)"),
            ("/a/s3cretvalue/b", "/a/\(inURL)/b"), ("?s3cretvalue", "?\(inURL)"), ("as3cretvalue", "as3cretvalue"),
        ] {
            #expect(words.replaced(text, as: .text) == expected, "\(text)")
        }
    }
}
