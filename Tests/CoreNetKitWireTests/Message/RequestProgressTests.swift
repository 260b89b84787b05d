import CoreNetKitHTTP
import CoreNetKitWire
import Testing

@Suite("How much of a request its server may have")
struct RequestProgressTests {
    @Test(
        "sending on takes nothing back that has come",
        arguments: RequestProgress.allCases,
        [RequestProgress.head, .part, .all]
    )
    func advance(from start: RequestProgress, to next: RequestProgress) {
        var progress = start
        progress.advance(to: next)
        #expect(progress == ([.responded, .refused].contains(start) ? start : next))
    }
}
