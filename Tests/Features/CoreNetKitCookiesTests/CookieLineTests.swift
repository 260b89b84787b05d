import CoreNetKitCookies
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@Suite("A cookie is one item of a field and one line of a file", .timeLimit(.minutes(10)), .paced)
struct CookieLineTests {
    enum Part: CaseIterable, Sendable { case name, value, domain, path }

    private static let bad = [";", "\r\nX: 1", "\n", "\r", "\0", "\u{1}", "\u{1F}", "\u{7F}", "; b=2"]
    private let page = URL(string: "http://shop.test/") ?? URL(filePath: "/")

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
        let folder = FileManager.default.temporaryDirectory.appending(path: "lines-\(UUID().uuidString)")
        try PosixFiles().makeFolder(folder.path)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "jar")
        let cookies = [Self.cookie(.value, text), Self.cookie(.name, "b")]
        try JSONEncoder().encode(["partitions": ["": cookies]]).write(to: file)
        var json = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        json["version"] = 1
        try JSONSerialization.data(withJSONObject: json).write(to: file)
        let jar = CookieJar()
        try CookieFile(at: file).load(into: jar)
        #expect(jar.field(for: page) == "ab=1")
    }
}
