import Foundation
import TestPace
import Testing

@testable import CoreNetKitCookies

@Suite("Cookies: edge cases of dates and domains", .paced)
struct CookieEdgeTests {
    @Test(
        "a time has only digits before its second colon",
        arguments: [
            ("1:2:3", true), ("01:02:03", true), ("1:2:3x", true), ("1x:2:3", false), ("1:2x:3", false),
            ("x1:2:3", false),
            ("1:2", false), ("1:2:", false), ("1::3", false), (":2:3", false), ("111:2:3", false), ("1:222:3", false),
        ]
    )
    func time(text: String, isTime: Bool) {
        let date = CookieDate.parse("21 Oct 2026 \(text)")
        #expect(date == (isTime ? Date(timeIntervalSince1970: 1_792_544_523) : nil))
    }

    @Test("the domains above a host end with its last label; an address and an empty host have none above them")
    func above() {
        #expect(CookieDomain.above("a.b.test") == ["a.b.test", "b.test", "test"])
        #expect(CookieDomain.above("a.test.") == ["a.test.", "test."])
        for host in ["test", "127.0.0.1", "a.1", "::1", ""] { #expect(CookieDomain.above(host) == [host]) }
    }

    @Test("an address has a colon, or a number as its last label")
    func address() {
        for host in ["127.0.0.1", "::1", "1", "a.1", "a.1."] { #expect(CookieDomain.isAddress(host)) }
        for host in ["", ".", "a", "1.a", "a.1x"] { #expect(!CookieDomain.isAddress(host)) }
    }
}
