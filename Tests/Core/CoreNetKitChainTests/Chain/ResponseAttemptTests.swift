import CoreNetKitChain
import CoreNetKitHTTP
import TestPace
import Testing
import TestSupport

@Suite("The attempt that a response belongs to", .paced)
struct ResponseAttemptTests {
    @Test("is the first one by default")
    func number() {
        var response = TransportResponse(status: 200, url: url("http://a.test/"))
        #expect(response.attempt == 1)
        response.attempt = 3
        #expect(response.attempt == 3)
    }
}
