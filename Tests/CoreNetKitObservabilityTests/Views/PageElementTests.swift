import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitObservability
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The elements of the page of calls", .paced)
struct PageElementTests {
    /// What is open where tags do not fit; empty where each one is closed.
    private func unclosed(_ html: String) -> [String] {
        var open: [String] = []
        for piece in html.components(separatedBy: "<").dropFirst() {
            let tag = piece.prefix { $0 != ">" && $0 != " " && $0 != "\n" }
            let isClosed = piece.prefix { $0 != ">" }.hasSuffix("/")
            if tag.hasPrefix("!") || isClosed || ["meta", "br", "hr", "link", "img", "col"].contains(String(tag)) {
                continue
            }
            if tag.hasPrefix("/") {
                guard open.last == String(tag.dropFirst()) else { return open + [String(tag)] }
                open.removeLast()
            } else {
                open.append(String(tag))
            }
        }
        return open
    }

    @Test("closes each element that it opens, whatever became of the calls")
    func elements() async throws {
        let error = NetworkError(.circuitOpen, "the server has failed too often", node: "BreakerNode")
        let records = [try await Samples.story(), try await Samples.failure(error)]
        #expect(unclosed(CallPage(records).html) == [])
        #expect(unclosed("<p>a") == ["p"] && unclosed("<p>a</b>") == ["p", "/b"] && unclosed("<p>a<br></p>") == [])
        #expect(!CallPage(records).html.contains("<dd></dd>"))
        for text in ["policy wait", "open, part unknown", "cache", "wait", "receive"] {
            #expect(CallPage(records).html.contains("\(text)</li>"), "the legend has \(text)")
        }
    }

    @Test("shows twenty calls open, of more only those that failed")
    func open() async throws {
        let error = NetworkError(.circuitOpen, "the server has failed too often", node: "BreakerNode")
        let (story, failure) = (try await Samples.story(), try await Samples.failure(error))
        func open(_ records: [CallRecord]) -> Int {
            CallPage(records).html.components(separatedBy: "\" open>").count - 1
        }
        #expect(open(Array(repeating: story, count: 20)) == 20)
        #expect(open(Array(repeating: story, count: 20) + [failure]) == 1)
    }
}
