import CoreNetKitEssentials
import TestPace
import Testing

@testable import CoreNetKitChain
@testable import CoreNetKitObservability

@Suite("A socket's message in an archive", .paced)
struct HARMessageTests {
    private func entry(_ content: Data, isText: Bool) -> String {
        var output = JSONOutput()
        let message = CallEvent.SocketMessage(content, isText: isText, isSent: true)
        HAREntry.write(message, at: WallTime(Date(timeIntervalSince1970: 1)), to: &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    @Test("says how long it is where its content is missing or cut, and only there")
    func size() {
        let long = Data("\"\(String(repeating: "x", count: CallEvent.contentLimit))\"".utf8)
        #expect(!entry(Data("{}".utf8), isText: true).contains("_size"))
        #expect(entry(Data([1, 2]), isText: false).contains("\"_size\":2"))
        #expect(entry(long, isText: true).contains("\"_size\":\(long.count)"))
    }
}
