import TestSupport

@testable import CoreNetKitCookies

/// A date that moves when it is told to.
struct TestDate: Sendable {
    private let date = Locked(Date(timeIntervalSince1970: 1_700_000_000))
    func now() -> Date { date.withLock { $0 } }
    func advance(by seconds: TimeInterval) { date.withLock { $0 = $0.addingTimeInterval(seconds) } }
}

extension CookieFile {
    /// A jar after it has read the file.
    func loaded(into jar: CookieJar) throws -> CookieJar {
        try load(into: jar)
        return jar
    }
}

@Suite("Cookie jar", .timeLimit(.minutes(10)), .paced)
struct CookieJarTests {
    private let date = TestDate()
    private let jar: CookieJar
    private let page = URL(string: "http://h.com/") ?? URL(filePath: "/")
    private static let suffixes = PublicSuffixes(source: "test") { ["com", "uk", "co.uk", "localhost"].contains($0) }

    init() { jar = CookieJar(suffixes: Self.suffixes, now: date.now) }

    private func sent(_ text: String) -> String? { jar.field(for: url(text)) }

    @Test("a cookie goes back to its host, below its path, and nowhere else")
    func hostAndPath() throws {
        jar.take(["a=1", "b=2; Path=/"], from: url("http://www.example.com/x/y"))
        #expect(sent("http://www.example.com/x/z") == "a=1; b=2")
        #expect(sent("http://www.example.com/xy") == "b=2")
        #expect(sent("http://example.com/x/") == nil)
        #expect(sent("http://a.www.example.com/x/") == nil)
        #expect(sent("http://WWW.example.COM:8080/x/") == "a=1; b=2")
        #expect(sent("ftp://www.example.com/x/") == nil)
    }

    @Test("a Unix domain socket has its own cookies, and no domain above it")
    func sockets() throws {
        let socket = "http+unix://%2Frun%2Fapp.sock"
        let lines = ["a=1", "b=2; Domain=sock", "c=3; Domain=%2Frun%2Fapp.sock", "d=4; Secure"]
        let refusals = jar.take(lines, from: url(socket + "/x"))
        #expect(refusals == [nil, .domain, nil, .insecure])
        #expect(sent(socket + "/x") == "a=1; c=3")
        for other in ["http+unix://%2Frun%2FApp.sock/x", "http+unix://%2Frun%2Fb.sock/x", "http://localhost/x"] {
            #expect(sent(other) == nil)
        }
        jar.take(["e=5"], from: url("http://localhost/x"))
        #expect(sent(socket + "/x") == "a=1; c=3")
    }

    @Test("whether a secure cookie is shadowed depends only on its own domains, however many others there are")
    func relatives() throws {
        var store = CookieStore(limits: .init(total: 5_000), suffixes: Self.suffixes)
        let now = JarTime(date: date.now(), moment: WallMoment(wall: date.now().milliseconds), jarAge: 0)
        func origin(_ text: String) throws -> CookieOrigin { try #require(CookieOrigin(url(text))) }
        for number in 0..<4_000 {
            #expect(store.take("a=1; Secure", from: try origin("https://h\(number).com/"), at: now) == nil)
        }
        let line = "s=1; Secure; Domain=site.com"
        #expect(store.take(line, from: try origin("https://a.b.site.com/"), at: now) == nil)
        #expect(store.take("t=1; Secure", from: try origin("https://x.site.com/"), at: now) == nil)
        #expect(store.relatives(of: "b.site.com") == ["b.site.com", "site.com", "com"])
        #expect(store.relatives(of: "site.com") == ["x.site.com", "site.com", "com"])
        #expect(store.take("s=2", from: try origin("http://b.site.com/"), at: now) == .shadowsSecure)
        #expect(store.take("t=2; Domain=site.com", from: try origin("http://b.site.com/"), at: now) == .shadowsSecure)
        #expect(store.take("t=2", from: try origin("http://b.site.com/"), at: now) == nil)
        store.removeAll { $0.name == "s" || $0.name == "t" }
        #expect(store.relatives(of: "site.com") == ["site.com", "com"])
    }

    @Test("above the limit of partitions the least recently used one is removed, with all its cookies")
    func partitionLimit() throws {
        let jar = CookieJar(limits: .init(partitions: 3), suffixes: Self.suffixes, now: date.now)
        let page = url("http://a.com/")
        for user in ["ann", "bob", "cid"] { jar.take(["a=\(user); Max-Age=99"], from: page, partition: user) }
        #expect(jar.field(for: page, partition: "ann") == "a=ann")
        jar.take(["a=dan"], from: page, partition: "dan")
        #expect(jar.partitions == ["ann", "cid", "dan"])
        #expect(jar.field(for: page, partition: "bob") == nil)
        jar.remove(partition: "cid")
        jar.take(["a=bob"], from: page, partition: "bob")
        #expect(jar.partitions == ["ann", "bob", "dan"])
    }

    @Test("with a Domain it also goes to the hosts below")
    func domains() throws {
        jar.take(["a=1; Domain=.example.com; Path=/"], from: url("http://www.example.com/"))
        #expect(sent("http://example.com/") == "a=1")
        #expect(sent("http://b.a.example.com/") == "a=1")
        #expect(sent("http://badexample.com/") == nil)
    }

    private static let (http, https) = ("http://www.example.com/", "https://www.example.com/")

    @Test(
        "a cookie that its sender may not set is refused",
        arguments: [
            (http, "a=1; Domain=other.com", .domain), (http, "a=1; Domain=a.www.example.com", .domain),
            (http, "a=1; Domain=com", .publicSuffix), ("http://www.example.co.uk/", "a=1; Domain=co.uk", .publicSuffix),
            ("http://10.0.0.1/", "a=1; Domain=0.0.1", .domain), (http, "a=1; Domain=exämple.com", .domain),
            (http, "a=1; Secure", .insecure), (https, "a=1; SameSite=None", .sameSite),
            (https, "__Secure-a=1", .prefix), (https, "__SECURE-a=1", .prefix), (https, "__Host-a=1; Secure", .prefix),
            (https, "__Host-a=1; Secure; Path=/x", .prefix), (https, "__Host-a; Secure; Path=/", .prefix),
            (https, "__Host-a=1; Secure; Path=/; Domain=www.example.com", .prefix),
            (https, "=__Secure-a=1; Secure; Path=/", .prefix), ("ftp://www.example.com/", "a=1", .scheme),
            (http, "=", .malformed),
        ] as [(String, String, CookieRefusal)]
    )
    func refused(_ from: String, _ line: String, _ refusal: CookieRefusal) throws {
        #expect(jar.take([line], from: url(from)) == [refusal])
        #expect(jar.allCookies().isEmpty)
    }

    @Test("a host that is itself a public suffix gets a cookie only for itself")
    func ownSuffix() throws {
        #expect(jar.take(["a=1; Domain=localhost; Path=/"], from: url("http://localhost/")) == [nil])
        #expect(jar.allCookies().first?.isHostOnly == true)
        #expect(sent("http://localhost/") == "a=1")
    }

    @Test("prefixes are accepted if their requirements are met")
    func prefixes() throws {
        let lines = ["__Host-a=1; Secure; Path=/", "__Secure-b=2; Secure; Domain=example.com"]
        #expect(jar.take(lines, from: url("https://www.example.com/")) == [nil, nil])
    }

    @Test("a secure cookie is for https only, and http cannot shadow it")
    func secure() throws {
        jar.take(["a=1; Secure; Path=/x; Domain=example.com"], from: url("https://example.com/"))
        #expect(sent("http://example.com/x") == nil)
        #expect(sent("https://example.com/x") == "a=1")
        for line in ["a=2; Path=/x", "a=2; Path=/x/y", "a=2; Domain=example.com; Path=/x"] {
            #expect(jar.take([line], from: url("http://www.example.com/")) == [.shadowsSecure])
        }
        #expect(jar.take(["a=2; Path=/"], from: url("http://www.example.com/")) == [nil])
        #expect(jar.take(["a=3; Path=/x"], from: url("https://www.example.com/")) == [nil])
    }

    @Test("the longest path comes first, then the oldest; a new value keeps its age")
    func order() throws {
        jar.take(["a=1; Path=/"], from: page)
        date.advance(by: 1)
        jar.take(["b=1; Path=/", "c=1; Path=/x"], from: page)
        date.advance(by: 1)
        jar.take(["a=2; Path=/"], from: page)
        #expect(sent("http://h.com/x") == "c=1; a=2; b=1")
    }

    @Test("cookies keep their order when the clock stops or goes back")
    func clockSteps() throws {
        let from = url("http://www.h.com/")
        jar.take(["a=1; Domain=h.com", "b=1"], from: from)
        date.advance(by: -3600)
        jar.take(["c=1; Domain=h.com"], from: from)
        #expect(sent("http://www.h.com/") == "a=1; b=1; c=1")
    }

    @Test("a cookie ends when it should, and is removed by an expired one")
    func expiry() throws {
        jar.take(["a=1; Max-Age=10", "b=1"], from: page)
        date.advance(by: 9)
        #expect(sent("http://h.com/") == "a=1; b=1")
        date.advance(by: 1)
        #expect(sent("http://h.com/") == "b=1")
        jar.take(["b=; Max-Age=0"], from: page)
        #expect(sent("http://h.com/") == nil)
        #expect(jar.allCookies().isEmpty)
    }

    @Test("cookies without a name are sent as their value")
    func nameless() throws {
        jar.take(["just"], from: page)
        #expect(sent("http://h.com/") == "just")
    }

    @Test("an existing request field is kept, and wins")
    func ownField() throws {
        jar.take(["a=1", "b=2"], from: page)
        #expect(jar.field(for: page, besides: "b=mine; c=3") == "b=mine; c=3; a=1")
    }

    @Test("a full domain first loses cookies that are not secure and were used least recently")
    func perDomain() throws {
        let jar = CookieJar(limits: .init(perDomain: 3), suffixes: Self.suffixes, now: date.now)
        let from = url("https://h.com/")
        for line in ["s=1; Secure", "a=1", "b=1; Path=/b", "c=1"] {
            jar.take([line], from: from)
            date.advance(by: 1)
        }
        #expect(jar.allCookies().map(\.name).sorted() == ["b", "c", "s"])
        _ = jar.cookies(for: url("https://h.com/b"))
        date.advance(by: 1)
        jar.take(["x=1; Path=/x"], from: from)
        #expect(jar.allCookies().count == 3)
        #expect(jar.allCookies().contains { $0.name == "x" })
    }

    @Test("of 3 001 cookies of many domains 3 000 remain, including the newest")
    func total() throws {
        let jar = CookieJar(suffixes: Self.suffixes, now: date.now)
        for index in 0...3000 {
            date.advance(by: 1)
            jar.take(["c=\(index)"], from: url("http://h\(index / 40).com/\(index)/"))
        }
        #expect(jar.allCookies().count == 3000)
        #expect(jar.field(for: url("http://h75.com/3000/")) == "c=3000")
        #expect(jar.field(for: url("http://h0.com/0/")) == nil)
    }

    @Test("neither description, reflection nor dump shows a value")
    func secrecy() throws {
        jar.take(["a=geheim"], from: page)
        let cookie = try #require(jar.allCookies().first)
        var text = "\(cookie) \(String(reflecting: cookie)) \(jar) \(String(reflecting: jar)) "
        dump(cookie, to: &text)
        dump(jar, to: &text)
        dump([cookie], to: &text)
        #expect(!text.contains("geheim"))
    }

    @Test("the system's list, if there is one, knows the world's suffixes")
    func systemSuffixes() {
        let list = PublicSuffixes.system
        #expect(list.contains("com") && list.contains("co.uk") && !list.contains("www.example.com"))
        #expect(list.contains("example.com") == (list.source != "libpsl"))
    }

    @Test("the rule without a list refuses two labels unless they are allowed")
    func conservative() {
        let list = PublicSuffixes.conservative(allowing: ["example.com"])
        #expect(list.contains("com") && list.contains("other.com"))
        #expect(!list.contains("example.com") && !list.contains("www.other.com"))
    }

    @Test("a domain without cookies does not remove its neighbours from their family")
    func neighbours() throws {
        jar.take(["s=1; Secure"], from: url("https://b.site.com/"))
        jar.take(["a=1; Max-Age=60"], from: url("https://a.site.com/"))
        jar.take(["a=; Max-Age=0"], from: url("https://a.site.com/"))
        jar.take(["s=2; Domain=site.com"], from: url("http://site.com/"))
        #expect(sent("http://site.com/") == nil)
    }
}
