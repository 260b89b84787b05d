import TestSupport

@testable import CoreNetKitCookies

extension TestMachine {
    func jar() -> CookieJar { CookieJar(limits: .init(), suffixes: .conservative(allowing: [])) { self.moment } }
}

@Suite("Cookies and clock steps", .timeLimit(.minutes(10)), .paced)
struct CookieClockTests {
    private static let day: Int64 = 86_400_000
    static let steps: [Int64] = [-3650 * day, -day, -500, day, 3650 * day]

    private let machine = TestMachine()
    private let page = url("https://shop.test/")

    /// A jar with a cookie that lives for an hour, and one that lives as long as the session.
    private func filled() -> CookieJar {
        let jar = machine.jar()
        jar.take(["a=1; Max-Age=3600", "b=2"], from: page)
        return jar
    }

    /// The file of a jar, as the next process reads it.
    private func reopened(_ jar: CookieJar) throws -> CookieJar {
        let folder = try TemporaryFolder()
        let file = CookieFile(at: folder["jar"])
        try file.store(jar)
        return try file.loaded(into: machine.jar())
    }

    @Test("a cookie lives as long as it says, whatever the clock is set to", arguments: steps)
    func sameJar(step: Int64) {
        let jar = filled()
        machine.step(step)
        machine.advance(3599)
        #expect(jar.field(for: page) == "a=1; b=2")
        machine.advance(1)
        #expect(jar.field(for: page) == "b=2")
        #expect(jar.allCookies().map(\.name) == ["b"])
    }

    @Test("in another process of the same boot too", arguments: steps)
    func sameBoot(step: Int64) throws {
        let former = filled()
        machine.step(step)
        let jar = try reopened(former)
        machine.advance(3599)
        #expect(jar.field(for: page) == "a=1")
        machine.advance(1)
        #expect(jar.field(for: page) == nil)
    }

    @Test(
        "after a reboot a cookie of unknown age is kept and sent for its whole time; a clock that is ahead ends it",
        arguments: zip(steps, [true, true, true, false, false])
    )
    func otherBoot(step: Int64, isSent: Bool) throws {
        let cookies = filled().allCookies()
        #expect(cookies.count == 2)
        machine.step(step)
        machine.reboot()
        let jar = machine.jar()
        // As an app that keeps them itself: a file leaves out what has ended before it is read.
        for cookie in cookies where cookie.name == "a" { try jar.set(cookie) }
        #expect((jar.field(for: page) == "a=1") == isSent)
        machine.advance(3601)
        #expect(jar.field(for: page) == nil)
    }

    @Test("a file of an older version is read, and its cookies expire by date")
    func olderFile() throws {
        let dates = #""expires":821696400,"created":821692800,"lastUsed":821692800"#
        let flags = #""isHostOnly":true,"isSecure":false,"isHTTPOnly":false,"sameSite":"unset""#
        let old = Data(#"{"name":"a","value":"1","domain":"shop.test","path":"/",\#(flags),\#(dates)}"#.utf8)
        let cookie = try JSONDecoder().decode(Cookie.self, from: old)
        // 3600 seconds after the machine's time.
        #expect(cookie.expires == Date(timeIntervalSince1970: 1_800_003_600))
        let again = try JSONDecoder().decode(Cookie.self, from: try JSONEncoder().encode(cookie))
        #expect(again == cookie)
        let jar = machine.jar()
        try jar.set(cookie)
        #expect(jar.field(for: page) == "a=1")
        machine.step(Self.day)
        #expect(jar.field(for: page) == "a=1")
        machine.advance(3600)
        #expect(jar.field(for: page) == nil)
    }

    @Test("comparing cookies ignores the moment at which a jar took them")
    func equality() throws {
        let taken = try #require(filled().allCookies().first { $0.name == "a" })
        let again = try JSONDecoder().decode(Cookie.self, from: try JSONEncoder().encode(taken))
        #expect(again == taken)
        #expect(again.receiptTime.moment == machine.moment)
        #expect(taken.receiptTime.moment == machine.moment)
    }
}

@Suite("A cookie is one item of a field and one line of a file", .timeLimit(.minutes(10)), .paced)
struct CookieLineTests {
    enum Part: CaseIterable, Sendable { case name, value, domain, path }

    private static let bad = [";", "\r\nX: 1", "\n", "\r", "\0", "\u{1}", "\u{1F}", "\u{7F}", "; b=2"]
    private let page = url("http://shop.test/")

    private static func cookie(_ part: Part, _ text: String) -> Cookie {
        Cookie(
            name: part == .name ? "a\(text)" : "a",
            value: part == .value ? "1\(text)" : "1",
            domain: part == .domain ? "shop.test\(text)" : "shop.test",
            path: part == .path ? "/\(text)" : "/",
            expires: Date(timeIntervalSince1970: 4_000_000_000)
        )
    }

    @Test("so that one with control characters or a semicolon is not taken", arguments: Part.allCases, bad)
    func refused(_ part: Part, _ text: String) {
        let jar = CookieJar()
        #expect(throws: CookieRefusal.malformed) { try jar.set(Self.cookie(part, text)) }
        #expect(jar.allCookies().isEmpty)
    }

    @Test("so that a name has no equals sign; a tab in a value, and an equals sign there, are as they were")
    func allowed() throws {
        let jar = CookieJar()
        #expect(throws: CookieRefusal.malformed) { try jar.set(Self.cookie(.name, "=b")) }
        try jar.set(Self.cookie(.value, "\t=2"))
        #expect(jar.field(for: page) == "a=1\t=2")
        let text = jar.netscapeText()
        #expect(CookieJar().take(netscapeText: text) == [] && text.contains("a\t1\t=2\n"))
    }

    @Test("so that a line with control characters or a semicolon is refused, and the others are taken", arguments: bad)
    func lines(_ text: String) {
        // A line break makes two lines, of which neither may say what was said within one.
        guard !text.contains("\n"), !text.hasPrefix("\r\n") else { return }
        let good = "shop.test\tFALSE\t/\tFALSE\t4000000000\tb\t2"
        for line in [
            "shop.test\tFALSE\t/\tFALSE\t4000000000\ta\(text)x\t1",
            "shop.test\tFALSE\t/\tFALSE\t4000000000\ta\t1\(text)x",
            "shop.test\tFALSE\t/\(text)x\tFALSE\t4000000000\ta\t1",
            "shop.test\(text)x\tFALSE\t/\tFALSE\t4000000000\ta\t1",
        ] {
            let jar = CookieJar()
            #expect(jar.take(netscapeText: "\(line)\n\(good)\n") == [1])
            #expect(jar.field(for: page) == "b=2")
        }
    }

    @Test("so that those which version 0.2 has stored all the same are left out, and the file is read", arguments: bad)
    func stored(_ text: String) throws {
        let folder = try TemporaryFolder()
        let file = folder["jar"]
        let cookies = [Self.cookie(.value, text), Self.cookie(.name, "b")]
        try JSONEncoder().encode(CookieFileContent(partitions: ["": cookies])).write(to: file)
        #expect(try CookieFile(at: file).loaded(into: CookieJar()).field(for: page) == "ab=1")
    }
}
