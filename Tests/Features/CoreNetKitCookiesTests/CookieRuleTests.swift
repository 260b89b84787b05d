import TestSupport

@testable import CoreNetKitCookies

@Suite("Cookies: fields, dates, domains and paths", .timeLimit(.minutes(10)), .paced)
struct CookieRuleTests {
    @Test(
        "name and value are the text around the first equals sign, without white space",
        arguments: [
            ("a=b", "a", "b"), (" a = b ", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""), ("a", "", "a"),
            ("=a", "", "a"), ("a=\"b c\"", "a", "\"b c\""), ("a=b; Path=/", "a", "b"), ("a=é", "a", "é"),
            ("a\t=b", "a", "b"),
        ]
    )
    func pairs(_ line: String, _ name: String, _ value: String) throws {
        let field = try #require(SetCookie(parsing: line))
        #expect(field.name == name && field.value == value)
    }

    @Test("an empty field, one with control characters and one that is too long are ignored")
    func ignored() {
        for line in ["", "=", ";", "; Path=/", "a=b\u{7F}", "a\u{0}=b", "a=b\u{1F}", "a=b; Path=/\u{1}"] {
            #expect(SetCookie(parsing: line) == nil, "\(line.debugDescription)")
        }
        #expect(SetCookie(parsing: "a=" + String(repeating: "b", count: 4095)) != nil)
        #expect(SetCookie(parsing: "a=" + String(repeating: "b", count: 4096)) == nil)
    }

    @Test("the last attribute of a name counts; one that is too long or meaningless does not")
    func attributes() throws {
        let line =
            "a=b; PATH=/x; path=/y; Domain=A.example; domain=.B.Example; secure=no; HttpOnly; SameSite=LAX; what=1"
        let field = try #require(SetCookie(parsing: line))
        #expect(field.path == "/y" && field.domain == "b.example")
        #expect(field.isSecure && field.isHTTPOnly && field.sameSite == .lax)
        let long = "a=b; Path=/x; Path=/" + String(repeating: "y", count: 1024)
        #expect(SetCookie(parsing: long)?.path == "/x")
        #expect(SetCookie(parsing: "a=b; Path=/x; Path=y")?.path == nil)
    }

    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let ended = Date.distantPast.timeIntervalSince(now)

    @Test(
        "Max-Age beats Expires, zero or less ends a cookie, and nothing lives longer than 400 days",
        arguments: [
            ("Max-Age=10", 10.0), ("Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 10),
            ("Max-Age=99999999999999999999", SetCookie.longestLife), ("Max-Age=1.5", nil), ("Max-Age=", nil),
            ("Max-Age=-", nil), ("Max-Age=--1", nil), ("Max-Age=-1x", nil), ("Max-Age=10; Max-Age=-", 10),
            ("Max-Age=+5", nil), ("Expires=Thu, 01 Jan 2096 00:00:00 GMT", SetCookie.longestLife),
            ("Expires=soon", nil), ("Max-Age=0", ended), ("Max-Age=-1", ended),
            ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", -1_700_000_000),
        ]
    )
    func life(_ attributes: String, _ seconds: Double?) throws {
        let end = try #require(SetCookie(parsing: "a=b; " + attributes)).end(from: Self.now)
        #expect(end == seconds.map { Self.now.addingTimeInterval($0) })
    }

    @Test(
        "dates are read in any order and with nearly any separators",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("1994 nov 6 8:49:37", 784_111_777),
            ("08:49:37 6 november 94 and more", 784_111_777), ("6-Nov-1994 08:49:37.123", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("01 Jan 69 00:00:00", 3_124_224_000), ("01 Jan 70 00:00:00", 0),
            ("01 Jan 1600 00:00:00", nil), ("30 Feb 2020 00:00:00", nil), ("01 Jan 2020 24:00:00", nil),
            ("01 Jan 2020 00:60:00", nil), ("01 Jan 2020 00:00:60", nil), ("01 Jan 2020", nil), ("", nil),
            ("32 Jan 2020 00:00:00", nil), ("001 Jan 2020 00:00:00", nil),
        ] as [(String, Double?)]
    )
    func dates(_ text: String, _ seconds: Double?) {
        #expect(CookieDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "a domain matches whole labels, and addresses match only themselves",
        arguments: [
            ("example.com", "example.com", true), ("www.example.com", "example.com", true),
            ("badexample.com", "example.com", false), ("example.com", "www.example.com", false),
            ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "0.0.1", false), ("1.10.0.0.1", "10.0.0.1", false),
            ("::1", "::1", true), ("example.com", "com", true),
        ]
    )
    func domains(_ host: String, _ domain: String, _ isMatch: Bool) {
        #expect(CookieDomain.matches(host, domain: domain) == isMatch)
    }

    @Test(
        "a path matches whole segments",
        arguments: [
            ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
            ("/ab", "/a", false), ("/a", "/a/", false), ("/a/b", "/a/", true), ("/A", "/a", false),
        ]
    )
    func paths(_ request: String, _ path: String, _ isMatch: Bool) {
        #expect(CookieOrigin.isPath(request, in: path) == isMatch)
    }

    @Test(
        "a cookie without a path gets the request's path without its last segment",
        arguments: [("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("", "/"), ("a/b", "/")]
    )
    func standardPaths(_ request: String, _ path: String) {
        #expect(CookieOrigin.standardPath(for: request) == path)
    }

    @Test(
        "a time has only digits before its second colon",
        arguments: [
            ("1:2:3", true), ("01:02:03", true), ("1:2:3x", true), ("1x:2:3", false), ("1:2x:3", false),
            ("x1:2:3", false), ("1:2", false), ("1:2:", false), ("1::3", false), (":2:3", false), ("111:2:3", false),
            ("1:222:3", false),
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

    @Test(
        "cookies of a host in another spelling are those of the usual one",
        arguments: [
            ("https://app.example.org/", "https://APP.ex%61mple.org./x"), ("http://127.0.0.1/", "http://0x7f.1/"),
            ("http://[::1]/", "http://[0:0::1]:8080/"),
        ]
    )
    func spelled(_ usual: String, _ other: String) throws {
        let jar = CookieJar()
        let (usual, other) = (url(usual), url(other))
        jar.take(["a=1; Path=/"], from: other)
        #expect(jar.cookies(for: usual).map(\.value) == ["1"])
        jar.take(["a=2; Path=/"], from: usual)
        #expect(jar.cookies(for: other).map(\.value) == ["2"])
    }
}
