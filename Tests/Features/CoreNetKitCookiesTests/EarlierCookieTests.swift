import CoreNetKitChain
import CoreNetKitCookies
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("Cookies that version 0.2 has stored", .timeLimit(.minutes(10)), .paced)
struct EarlierCookieTests {
    private let fixture: Fixture
    private let date = TestDate()
    private let page = URL(string: "https://www.example.com/x/") ?? URL(filePath: "/")

    init() throws {
        fixture = try Fixture("cookies")
        date.advance(by: 60)
    }

    private func jar() -> CookieJar {
        CookieJar(suffixes: .conservative(allowing: ["example.com"]), now: date.now)
    }

    @Test("are read, added to, and read again by the next process")
    func file() throws {
        let (file, jar) = (CookieFile(at: fixture["jar.json"]), jar())
        try file.load(into: jar)
        #expect(jar.partitions == ["", "anna"])
        #expect(jar.field(for: page) == "a=1; b=2")
        let first = try #require(jar.allCookies().first { $0.name == "a" })
        #expect(first.isSecure && first.isHTTPOnly && first.isHostOnly && first.sameSite == .lax && first.path == "/x")
        #expect(first.expires == Date(timeIntervalSince1970: 1_700_100_000))
        #expect(jar.field(for: page, partition: "anna") == "user=anna")
        jar.take(["b=3; Domain=example.com; Max-Age=900", "new=1; Max-Age=900"], from: page)
        try file.store(jar)
        let next = self.jar()
        try file.load(into: next)
        #expect(next.field(for: page) == "a=1; b=3; new=1")
        #expect(next.field(for: page, partition: "anna") == "user=anna")
    }

    @Test("do not come back for a user who has signed out there")
    func ended() throws {
        let jar = CookieJar(suffixes: .conservative(allowing: ["example.com"])) {
            Date(timeIntervalSince1970: 1_699_000_000)
        }
        jar.take(["user=bob; Max-Age=9000000"], from: page, partition: Partition("bob").name)
        try CookieFile(at: fixture["jar.json"]).store(jar)
        #expect(jar.partitions == ["", "anna"])
    }

    @Test("in the format of Netscape are read and written as they were")
    func netscape() throws {
        let text = String(decoding: try fixture.data("cookies.txt"), as: UTF8.self)
        let jar = jar()
        #expect(jar.take(netscapeText: text) == [])
        #expect(jar.field(for: page) == "a=1; s=session; b=2")
        #expect(jar.netscapeText() == text)
    }
}
