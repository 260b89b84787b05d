import TestPace
import Testing

@testable import CoreNetKitObservability

@Suite("A server's address in an archive", .paced)
struct HARAddressTests {
    @Test(
        "has neither port nor brackets",
        arguments: [("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "::1"), ("a.test", "a.test")]
    )
    func host(address: String, host: String) { #expect(HAREntry.host(of: address) == host) }
}
