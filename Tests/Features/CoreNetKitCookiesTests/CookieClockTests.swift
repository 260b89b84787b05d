import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@testable import CoreNetKitCookies

@Suite("Cookies and clock steps", .timeLimit(.minutes(10)), .paced)
struct CookieClockTests {
    /// A machine, on which time passes and people set the clock.
    final class Machine: Sendable {
        private let state = Locked(WallMoment(wall: 1_800_000_000_000, steady: 5_000_000, boot: 1))

        var moment: WallMoment { state.withLock { $0 } }

        func advance(_ seconds: Int64) {
            state.withLock { now in
                now = WallMoment(wall: now.wall + seconds * 1000, steady: now.steady + seconds * 1000, boot: now.boot)
            }
        }

        func step(_ milliseconds: Int64) {
            state.withLock { now in
                now = WallMoment(wall: now.wall + milliseconds, steady: now.steady, boot: now.boot)
            }
        }

        func reboot() {
            state.withLock { now in now = WallMoment(wall: now.wall, steady: 0, boot: now.boot + 1) }
        }

        func jar() -> CookieJar {
            CookieJar(limits: .init(), suffixes: .conservative(allowing: [])) { self.moment }
        }
    }

    private static let day: Int64 = 86_400_000
    static let steps: [Int64] = [-3650 * day, -day, -500, day, 3650 * day]

    private let page = URL(string: "https://shop.test/") ?? URL(filePath: "/")

    /// A jar with a cookie that lives for an hour, and one that lives as long as the session.
    private func filled(_ machine: Machine) -> CookieJar {
        let jar = machine.jar()
        jar.take(["a=1; Max-Age=3600", "b=2"], from: page)
        return jar
    }

    /// The file of a jar, as the next process reads it.
    private func reopened(_ jar: CookieJar, on machine: Machine) throws -> CookieJar {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cookies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = CookieFile(at: folder.appending(path: "jar"))
        try file.store(jar)
        let next = machine.jar()
        try file.load(into: next)
        return next
    }

    @Test("a cookie lives as long as it says, whatever the clock is set to", arguments: steps)
    func sameJar(step: Int64) {
        let machine = Machine()
        let jar = filled(machine)
        machine.step(step)
        machine.advance(3599)
        #expect(jar.field(for: page) == "a=1; b=2")
        machine.advance(1)
        #expect(jar.field(for: page) == "b=2")
        #expect(jar.allCookies().map(\.name) == ["b"])
    }

    @Test("in another process of the same boot too", arguments: steps)
    func sameBoot(step: Int64) throws {
        let machine = Machine()
        let former = filled(machine)
        machine.step(step)
        let jar = try reopened(former, on: machine)
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
        let machine = Machine()
        let former = filled(machine)
        let bytes = former.allCookies()
        #expect(bytes.count == 2)
        machine.step(step)
        machine.reboot()
        let jar = machine.jar()
        // As an app that keeps them itself: a file leaves out what has ended before it is read.
        for cookie in bytes where cookie.name == "a" { try jar.set(cookie) }
        #expect((jar.field(for: page) == "a=1") == isSent)
        machine.advance(3601)
        #expect(jar.field(for: page) == nil)
    }

    @Test("a file of an older version is read, and its cookies expire by date")
    func olderFile() throws {
        let machine = Machine()
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
        let machine = Machine()
        let jar = filled(machine)
        let taken = try #require(jar.allCookies().first { $0.name == "a" })
        let again = try JSONDecoder().decode(Cookie.self, from: try JSONEncoder().encode(taken))
        #expect(again == taken)
        #expect(again.taken.moment == machine.moment)
        #expect(taken.taken.moment == machine.moment)
    }
}
