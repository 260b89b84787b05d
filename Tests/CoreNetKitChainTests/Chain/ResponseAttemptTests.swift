import CoreNetKitChain
import CoreNetKitHTTP
import TestPace
import Testing
import TestSupport

@Suite("Which try a response answers", .paced)
struct ResponseAttemptTests {
    @Test("is the first one where nobody says otherwise")
    func number() {
        var response = TransportResponse(status: 200, url: url("http://a.test/"))
        #expect(response.attempt == 1)
        response.attempt = 3
        #expect(response.attempt == 3)
    }
}
