import FileModel
import TestSupport

@testable import CoreNetKitCookies

/// A process with a jar of its own beside others on one file.
private struct Process {
    let jar: CookieJar
    let file: CookieFile
    let url: URL

    init(_ files: ModelFiles, _ now: @escaping @Sendable () -> Date) throws {
        jar = CookieJar(now: now)
        file = CookieFile(path: "/jar", files: files)
        url = try #require(URL(string: "https://shop.test/"))
    }

    func set(_ cookies: String..., of user: String = "") {
        jar.take(cookies.map { "\($0); Max-Age=1000" }, from: url, partition: Partition(user).name)
    }

    func has(_ user: String = "") -> String? { jar.field(for: url, partition: Partition(user).name) }

    func signOut(_ user: String) async throws { try await jar.removeData(of: Partition.Session(of: Partition(user))) }

    func store() throws { try file.store(jar) }
}

@Suite("Several processes with one cookie file", .timeLimit(.minutes(10)), .paced)
struct CookieMergeTests {
    private let date = TestDate()
    private let files = ModelFiles()
    private let first: Process
    private let second: Process

    init() throws {
        first = try Process(files, date.now)
        second = try Process(files, date.now)
    }

    private func process() throws -> Process { try Process(files, date.now) }

    /// What a new process has that reads the file.
    private func loaded() throws -> String? {
        let next = try process()
        try next.file.load(into: next.jar)
        return next.has()
    }

    private func pass() { date.advance(by: 1) }

    @Test("one process's changes and removals reach the others, and none of the others' changes are lost")
    func both() throws {
        first.set("a=1", "b=1")
        pass()
        second.set("c=1")
        for each in [first, second, first] { try each.store() }
        #expect(first.has() == "a=1; b=1; c=1" && second.has() == "a=1; b=1; c=1")
        pass()
        first.set("a=2")
        second.jar.remove(partition: Partition("").name) { $0.name == "b" }
        for each in [first, second, first] { try each.store() }
        #expect(first.has() == "a=2; c=1" && second.has() == "a=2; c=1")
        #expect(try loaded() == "a=2; c=1")
    }

    @Test("of two changes the later one stays, whoever stores first", arguments: [true, false], [true, false])
    func later(firstStoresFirst: Bool, isRemoved: Bool) throws {
        first.set("a=0", "z=0")
        for each in [first, second] { try each.store() }
        pass()
        first.set("a=early")
        pass()
        if isRemoved {
            second.jar.remove(partition: Partition("").name) { $0.name == "a" }
        } else {
            second.set("a=late")
        }
        for each in firstStoresFirst ? [first, second, first] : [second, first, second] { try each.store() }
        let expected = isRemoved ? "z=0" : "a=late; z=0"
        #expect(first.has() == expected && second.has() == expected)
    }

    @Test("after a sign-out in one process none has the user's cookies, including newer ones and those under way")
    func signOut() async throws {
        let third = try process()
        for each in [first, second] {
            each.set("sid=old", of: "ann")
            each.set("sid=bob", of: "bob")
            try each.store()
        }
        // A third has logged her in, and stored nothing yet.
        third.set("sid=third", of: "ann")
        pass()
        try await first.signOut("ann")
        try first.store()
        pass()
        // The second does not know, and its server renews the session.
        second.set("sid=renewed", of: "ann")
        let cookies = second.jar.requestCookies(for: second.url, besides: nil, of: Partition("ann"))
        for each in [second, third, first] { try each.store() }
        _ = second.jar.take(["sid=late; Max-Age=100"], from: second.url, of: Partition("ann"), since: cookies)
        for each in [second, third, first] { try each.store() }
        for each in [first, second, third] {
            #expect(each.has("ann") == nil)
            #expect(each.has("bob") == "sid=bob")
        }
        #expect(!String(decoding: files.bytes(of: "/jar") ?? [], as: UTF8.self).contains("sid=ann"))
    }

    @Test("a later login has cookies again, in a process that knew of the sign-out and in a new one")
    func newLogin() async throws {
        for each in [first, second] {
            each.set("sid=old", of: "ann")
            try each.store()
        }
        pass()
        try await first.signOut("ann")
        for each in [first, second] { try each.store() }
        pass()
        second.set("sid=new", of: "ann")
        for each in [second, first] { try each.store() }
        #expect(first.has("ann") == "sid=new" && second.has("ann") == "sid=new")
        let third = try process()
        third.set("other=new", of: "ann")
        for each in [third, first] { try each.store() }
        #expect(first.has("ann") == "sid=new; other=new")
    }

    @Test("session cookies stay in their process, and are removed by a sign-out elsewhere")
    func session() async throws {
        first.set("a=1", of: "ann")
        second.jar.take(["s=1"], from: second.url, partition: Partition("ann").name)
        for each in [first, second, first, second] { try each.store() }
        #expect(first.has("ann") == "a=1" && second.has("ann") == "s=1; a=1")
        pass()
        try await first.signOut("ann")
        for each in [first, second] { try each.store() }
        #expect(second.has("ann") == nil)
    }

    @Test("a file of an older version is read, and a replaced or damaged one is filled again")
    func older() throws {
        first.set("a=1")
        try first.store()
        for text in [#"{"version":1,"partitions":{}}"#, "damaged"] {
            files.change("/jar") { $0 = Array(text.utf8) }
            try first.store()
            #expect(try loaded() == "a=1")
        }
        files.change("/jar") { $0 = Array(#"{"version":2,"partitions":{}}"#.utf8) }
        #expect(throws: CookieFile.Failure.damaged) { try first.store() }
    }

    @Test("a store refused by the disk changes neither side, and the next one has everything")
    func fullDisk() throws {
        first.set("a=1")
        try first.store()
        pass()
        second.set("b=1")
        files.fail { operation, _ in operation == .write ? ENOSPC : nil }
        #expect(throws: CookieFile.Failure.self) { try second.store() }
        #expect(second.has() == "b=1")
        files.fail { _, _ in nil }
        for each in [second, first] { try each.store() }
        #expect(first.has() == "a=1; b=1" && second.has() == "a=1; b=1")
    }

    @Test("a persistent jar stores changes after the delay, a sign-out at once, and takes the others' changes")
    func keeps() async throws {
        let clock = ManualClock()
        try first.jar.keep(in: first.file, after: .seconds(5), on: clock)
        #expect(clock.sleepers.isEmpty)
        first.set("a=1", of: "ann")
        first.set("b=1", of: "ann")
        try await clock.waitForSleepers(1)
        #expect(files.bytes(of: "/jar") == nil)
        clock.advance(by: .seconds(5))
        while files.bytes(of: "/jar") == nil { await Task.yield() }
        try second.file.load(into: second.jar)
        #expect(second.has("ann") == "a=1; b=1")

        try await second.signOut("ann")
        try second.store()
        // To send a cookie is to look.
        _ = first.jar.requestCookies(for: first.url, besides: nil, of: Partition("ann"))
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        while first.has("ann") != nil { await Task.yield() }

        first.set("c=1", of: "ann")
        try await first.signOut("ann")
        try second.store()
        #expect(second.has("ann") == nil)
        try await first.jar.save()
    }

    @Test("no value starts a line of its own in the Netscape format, and the order of requests survives")
    func netscape() throws {
        let jar = CookieJar(now: date.now)
        let forged = "1\nevil.test\tTRUE\t/\tFALSE\t0\tsid\tforged"
        for (name, value, path, domain) in [
            ("a", forged, "/", "a.test"), ("b\n", "1", "/", "a.test"), ("c", "1", "/\n", "a.test"),
            ("d", "1", "/", "a.test\nevil.test"), ("e", "1\r", "/", "a.test"), ("f", "1", "/\t", "a.test"),
            ("g", "1", "/", "#HttpOnly_a.test"), ("h", "1", "/", ".a.test"),
        ] {
            try? jar.set(Cookie(name: name, value: value, domain: domain, path: path, created: date.now()))
        }
        let url = try #require(URL(string: "https://a.test/"))
        for name in ["z", "y", "x"] {
            pass()
            jar.take(["\(name)=1; Path=/"], from: url)
        }
        let text = jar.netscapeText()
        let other = CookieJar(now: date.now)
        #expect(other.take(netscapeText: text) == [])
        #expect(Set(other.allCookies().map(\.domain)) == ["a.test"])
        #expect(other.field(for: url) == "z=1; y=1; x=1")
        #expect(other.netscapeText() == text)
    }
}
