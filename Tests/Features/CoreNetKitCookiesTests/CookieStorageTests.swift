import CoreNetKitCookies
import TestSupport

@Suite("Cookie files", .timeLimit(.minutes(10)), .paced)
struct CookieStorageTests {
    private let date = TestDate()
    private let folder: TemporaryFolder
    private let file: CookieFile

    init() throws {
        folder = try TemporaryFolder()
        file = CookieFile(at: folder["jar"])
    }

    private func filled() -> CookieJar {
        let jar = CookieJar(suffixes: .conservative(allowing: ["example.com"]), now: date.now)
        let (url, first) = (url("https://www.example.com/x/"), "a=1; Max-Age=100; HttpOnly; Secure; SameSite=Lax")
        jar.take([first, "b=2; Domain=example.com; Max-Age=50", "c=3"], from: url)
        jar.take(["u=4; Max-Age=9"], from: url, partition: "anna")
        return jar
    }

    private func loaded() throws -> CookieJar { try file.loaded(into: CookieJar(now: date.now)) }

    @Test("persistent cookies are stored and read again, partition by partition; session cookies are not")
    func roundTrip() throws {
        let jar = filled()
        try file.store(jar)
        let other = try loaded()
        #expect(other.allCookies() == jar.allCookies().filter { $0.expires != nil })
        #expect(other.allCookies(partition: "anna") == jar.allCookies(partition: "anna"))
        try file.store(jar, includesSession: true)
        #expect(try loaded().allCookies() == jar.allCookies())
        let mode = try FileManager.default.attributesOfItem(atPath: folder["jar"].path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(names == [".jar.lock", "jar"])
    }

    @Test("a missing file is not an error, a damaged one is, and neither changes the jar")
    func damaged() throws {
        let jar = filled()
        let before = jar.allCookies()
        try file.load(into: jar)
        for content in ["", "{", "[1]", "{\"version\":2,\"partitions\":{}}"] {
            try Data(content.utf8).write(to: folder["jar"])
            #expect(throws: CookieFile.Failure.damaged) { try file.load(into: jar) }
        }
        #expect(jar.allCookies() == before)
        let missing = CookieFile(at: folder["none/jar"])
        #expect(throws: CookieFile.Failure.self) { try missing.store(jar) }
    }

    @Test("cookies that expired while stored are not read")
    func endedMeanwhile() throws {
        try file.store(filled())
        date.advance(by: 60)
        let jar = try loaded()
        #expect(jar.allCookies().map(\.name) == ["a"])
        #expect(jar.partitions == [""])
    }

    @Test(
        "expiry dates outside every calendar are written as the last second that the format can express",
        arguments: [Int64.max, .min]
    )
    func netscapeEnds(seconds: Int64) throws {
        let jar = CookieJar()
        let line = "shop.test\tFALSE\t/\tFALSE\t\(seconds)\ta\t1"
        #expect(jar.take(netscapeText: line) == [])
        let expires = Date(timeIntervalSince1970: .greatestFiniteMagnitude)
        try jar.set(Cookie(name: "b", value: "2", domain: "shop.test", expires: expires))
        #expect(jar.netscapeText().contains("\t\(Int64.max)\tb\t2"))
    }

    @Test("invalid lines are reported, and nothing else is lost")
    func netscapeFaults() {
        let jar = CookieJar(now: date.now)
        let text =
            "# c\r\n\nwhat\n.h.com\tTRUE\t/\tFALSE\t0\ta\tb\tc\r\nh.com\tFALSE\tx\tFALSE\t0\ta\tb\nh.com\tFALSE\t/\tFALSE\tx\ta\tb"
        #expect(jar.take(netscapeText: text) == [3, 5, 6])
        #expect(jar.allCookies().map(\.value) == ["b\tc"])
    }
}

@Suite("Cookies that version 0.2 has stored", .timeLimit(.minutes(10)), .paced)
struct EarlierCookieTests {
    private let fixture: Fixture
    private let date = TestDate()
    private let page = URL(string: "https://www.example.com/x/") ?? URL(filePath: "/")

    init() throws {
        fixture = try Fixture("cookies")
        date.advance(by: 60)
    }

    private func jar() -> CookieJar { CookieJar(suffixes: .conservative(allowing: ["example.com"]), now: date.now) }

    @Test("are read, added to, and read again by the next process")
    func file() throws {
        let file = CookieFile(at: fixture["jar.json"])
        let jar = try file.loaded(into: jar())
        #expect(jar.partitions == ["", "anna"])
        #expect(jar.field(for: page) == "a=1; b=2")
        let first = try #require(jar.allCookies().first { $0.name == "a" })
        #expect(first.isSecure && first.isHTTPOnly && first.isHostOnly && first.sameSite == .lax && first.path == "/x")
        #expect(first.expires == Date(timeIntervalSince1970: 1_700_100_000))
        #expect(jar.field(for: page, partition: "anna") == "user=anna")
        jar.take(["b=3; Domain=example.com; Max-Age=900", "new=1; Max-Age=900"], from: page)
        try file.store(jar)
        let next = try file.loaded(into: self.jar())
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

@Suite("Real processes with one cookie file", .timeLimit(.minutes(10)), .paced)
struct CookieProcessTests {
    private static let program = TestProgram.named("CookieProgram")
    private static let milliseconds = TestRounds.count(400)
    private static let count = TestRounds.processes(3)

    /// The numbers of a line, by the names before them.
    private static func figures(_ line: String) -> [String: Int] {
        let words = line.split(whereSeparator: \.isWhitespace)
        return stride(from: 0, to: words.count - 1, by: 2).reduce(into: [:]) { numbers, index in
            numbers[String(words[index])] = Int(words[index + 1])
        }
    }

    @Test(
        "no store fails, no read finds damage, a sign-out in one ends the cookies in all",
        .enabled(if: program != nil)
    )
    func processes() async throws {
        let folder = try TemporaryFolder()
        let path = folder["jar"].path
        let lines = try await concurrently(Self.count) { number in
            try await Self.run(path, number, signsOut: number == 0)
        }
        let figures = lines.map(Self.figures)
        print("cookies: \(lines.map { $0.filter { $0 != "\n" } })")
        for figure in figures {
            #expect(figure["stores"] ?? 0 > 0)
            for name in ["failed", "damaged", "anna"] { #expect(figure[name] == 0, "\(name) of \(lines)") }
        }
        let jar = try CookieFile(at: folder["jar"]).loaded(into: CookieJar())
        #expect(jar.partitions.count == 1 && jar.partitions.allSatisfy { $0.contains("bob") })
        // Nobody's last cookie is lost.
        let values = jar.partitions.flatMap { jar.allCookies(partition: $0) }.map { Int($0.value) }
        #expect(values.sorted { $0 ?? 0 < $1 ?? 0 } == figures.map { $0["bob"] }.sorted { $0 ?? 0 < $1 ?? 0 })
    }

    private static func run(_ path: String, _ number: Int, signsOut: Bool) async throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = [path, "\(number)", "\(count)", "\(milliseconds)", signsOut ? "signOut" : "write"]
        process.standardOutput = output
        let (exit, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for await _ in exit {}
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
