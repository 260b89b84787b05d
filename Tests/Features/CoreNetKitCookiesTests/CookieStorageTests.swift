import CoreNetKitCookies
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@Suite("Cookie files", .timeLimit(.minutes(10)), .paced)
struct CookieStorageTests {
    private let date = TestDate()

    private func filled() throws -> CookieJar {
        let jar = CookieJar(suffixes: .conservative(allowing: ["example.com"]), now: date.now)
        let url = try #require(URL(string: "https://www.example.com/x/"))
        jar.take(
            ["a=1; Max-Age=100; HttpOnly; Secure; SameSite=Lax", "b=2; Domain=example.com; Max-Age=50", "c=3"],
            from: url
        )
        jar.take(["u=4; Max-Age=9"], from: url, partition: "anna")
        return jar
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cookies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test("persistent cookies are stored and read again, partition by partition; session cookies are not")
    func roundTrip() throws {
        try withFolder { folder in
            let jar = try filled()
            let file = CookieFile(at: folder.appending(path: "jar"))
            try file.store(jar)
            let other = CookieJar(now: date.now)
            try file.load(into: other)
            #expect(other.allCookies() == jar.allCookies().filter { $0.expires != nil })
            #expect(other.allCookies(partition: "anna") == jar.allCookies(partition: "anna"))
            try file.store(jar, includesSession: true)
            let third = CookieJar(now: date.now)
            try file.load(into: third)
            #expect(third.allCookies() == jar.allCookies())
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/jar")[.posixPermissions]
            #expect((mode as? NSNumber)?.intValue == 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == [".jar.lock", "jar"])
        }
    }

    @Test("a missing file is not an error, a damaged one is, and neither changes the jar")
    func damaged() throws {
        try withFolder { folder in
            let jar = try filled()
            let before = jar.allCookies()
            let file = CookieFile(at: folder.appending(path: "jar"))
            try file.load(into: jar)
            for content in ["", "{", "[1]", "{\"version\":2,\"partitions\":{}}"] {
                try Data(content.utf8).write(to: folder.appending(path: "jar"))
                #expect(throws: CookieFile.Failure.damaged) { try file.load(into: jar) }
            }
            #expect(jar.allCookies() == before)
            let missing = CookieFile(at: folder.appending(path: "none/jar"))
            #expect(throws: CookieFile.Failure.self) { try missing.store(jar) }
        }
    }

    @Test("cookies that expired while stored are not read")
    func endedMeanwhile() throws {
        try withFolder { folder in
            let file = CookieFile(at: folder.appending(path: "jar"))
            try file.store(try filled())
            date.advance(by: 60)
            let jar = CookieJar(now: date.now)
            try file.load(into: jar)
            #expect(jar.allCookies().map(\.name) == ["a"])
            #expect(jar.partitions == [""])
        }
    }

    @Test(
        "expiry dates outside every calendar are written as the last second that the format can express",
        arguments: [Int64.max, .min]
    )
    func netscapeEnds(seconds: Int64) throws {
        let jar = CookieJar()
        let line = "shop.test\tFALSE\t/\tFALSE\t\(seconds)\ta\t1"
        #expect(jar.take(netscapeText: line) == [])
        let cookie = Cookie(
            name: "b",
            value: "2",
            domain: "shop.test",
            expires: Date(timeIntervalSince1970: .greatestFiniteMagnitude)
        )
        try jar.set(cookie)
        #expect(jar.netscapeText().contains("\t\(Int64.max)\tb\t2"))
    }

    @Test("the Netscape format is written and read")
    func netscape() throws {
        let text = try filled().netscapeText()
        #expect(text.contains("\n#HttpOnly_www.example.com\tFALSE\t/x\tTRUE\t1700000100\ta\t1\n"))
        #expect(text.contains("\n.example.com\tTRUE\t/x\tFALSE\t1700000050\tb\t2\n"))
        #expect(text.contains("\nwww.example.com\tFALSE\t/x\tFALSE\t0\tc\t3\n"))
        let jar = CookieJar(now: date.now)
        #expect(jar.take(netscapeText: text) == [])
        #expect(jar.netscapeText() == text)
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
