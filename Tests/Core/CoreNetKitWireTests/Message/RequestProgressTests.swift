import CoreNetKitHTTP
import CoreNetKitWire
import Testing

@Suite("How much of a request its server may have")
struct RequestProgressTests {
    @Test(
        "further sending does not revert what has arrived",
        arguments: RequestProgress.allCases,
        [RequestProgress.head, .part, .all]
    )
    func advance(from start: RequestProgress, to next: RequestProgress) {
        var progress = start
        progress.advance(to: next)
        #expect(progress == ([.responded, .refused].contains(start) ? start : next))
    }
}
