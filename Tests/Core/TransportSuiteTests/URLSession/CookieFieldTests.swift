import TestSupport

@testable import CoreNetKitURLSession

@Suite("URLSession: cookies in one field", .paced)
struct CookieFieldTests {
    @Test(
        "a comma starts a new cookie if a name and an equals sign follow it",
        arguments: [
            ("a=1", ["a=1"]), ("a=1, b=2; Path=/", ["a=1", "b=2; Path=/"]), ("a=1,b=2", ["a=1", "b=2"]),
            ("a=1; Expires=Sun, 09 Sep 2001 01:46:40 GMT, b=2", ["a=1; Expires=Sun, 09 Sep 2001 01:46:40 GMT", "b=2"]),
            ("a=1,x; Path=/, b=2", ["a=1,x; Path=/", "b=2"]), ("a=1,x", ["a=1,x"]), ("x", ["x"]),
        ]
    )
    func split(value: String, cookies: [String]) { #expect(SessionResponseHead.cookies(in: value) == cookies) }
}
