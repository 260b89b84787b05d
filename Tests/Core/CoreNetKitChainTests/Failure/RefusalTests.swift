import CoreNetKitChain
import CoreNetKitHTTP
import TestPace
import TestSupport
import Testing

@Suite("A refusal by the server", .timeLimit(.minutes(10)), .paced)
struct RefusalTests {
    @Test(
        "is the response of an error, unless its status is one of success; the status is known of both",
        arguments: [(100, true), (199, true), (200, false), (299, false), (300, true), (404, true), (503, true)]
    )
    func status(status: Int, isRefusal: Bool) {
        var error = NetworkError(.connectionLost, "gone", node: .response)
        #expect(error.refusal == nil && error.status == nil)
        error.response = FailedResponse(status: status, url: url("http://a.test/"))
        #expect(error.refusal?.status == (isRefusal ? status : nil) && error.status == status)
    }
}
