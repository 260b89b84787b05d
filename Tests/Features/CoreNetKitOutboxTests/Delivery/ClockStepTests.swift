import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("Clock steps", .timeLimit(.minutes(10)), .paced)
struct ClockStepTests {
    /// How long an entry waits, and a key lives.
    private static let hour = Duration.seconds(3600)

    enum End: Sendable { case sent, ended }

    struct Row: Sendable, CustomTestStringConvertible {
        let step: Double
        let isRebooted: Bool
        /// How long the process is away.
        let gap: Duration
        let end: End

        var testDescription: String {
            "\(isRebooted ? "other" : "same") boot, clock set by \(step) s, \(gap) away: \(end)"
        }
    }

    private static let day: Double = 86_400
    private static let steps: [Double] = [-3650 * day, -day, -0.5, day, 3650 * day]

    static let rows: [Row] =
        steps.map { Row(step: $0, isRebooted: false, gap: .seconds(1), end: .sent) }
        + steps.map { Row(step: $0, isRebooted: false, gap: .seconds(20 * 3600), end: .ended) }
        // An unknown age is held until the hour has passed; a clock that is ahead expires what it meets.
        + zip(steps, [.ended, .ended, .sent, .ended, .ended]).map {
            Row(step: $0.0, isRebooted: true, gap: .zero, end: $0.1)
        }

    private let time = TestTime()

    /// The process ends, and another one starts later.
    private func restart(_ files: ModelFiles, _ row: Row) -> ModelFiles {
        time.advance(by: row.gap)
        time.stepWall(by: row.step)
        if row.isRebooted { time.reboot() }
        return files.afterKill()
    }

    @Test("an entry that was never attempted expires in time, whatever the clock is set to", arguments: rows)
    func neverTried(row: Row) async throws {
        let files = ModelFiles()
        try await Outbox.test(files, time: time).put("1", expires: Self.hour)
        let outbox = Outbox.test(restart(files, row), time: time)
        let server = TestServer(time: time)
        try await outbox.drain(to: server)
        #expect(server.effects == (row.end == .sent ? ["1": 1] : [:]))
        #expect(await outbox.state.reports.count == (row.end == .sent ? 0 : 1))
        #expect(time.now <= row.gap + Self.hour)
    }

    @Test("a possibly expired key is not used twice, and a valid one is, whatever the clock is set to", arguments: rows)
    func keys(row: Row) async throws {
        let files = ModelFiles()
        let server = TestServer(time: time) { _, count in .status(count == 1 ? 500 : 200) }
        let first = Outbox.test(files, time: time)
        try await first.put("1", repetition: .keyIsHonoured(for: Self.hour))
        let attempt = try await first.begin()
        await first.end(attempt, try await server.send(attempt))
        let outbox = Outbox.test(restart(files, row), time: time)
        try await outbox.drain(to: server)
        #expect(server.requests.count == (row.end == .sent ? 2 : 1))
        let dead = await outbox.state.deadLetters
        #expect(dead.count == (row.end == .sent ? 0 : 1))
        if row.end == .ended {
            guard case .inDoubt? = dead.first?.state else { return #expect(Bool(false), "\(dead)") }
        }
    }

    @Test("a step back of half a second holds an entry for half a second, and those after it")
    func halfSecond() async throws {
        let files = ModelFiles()
        let former = Outbox.test(files, time: time)
        try await former.put("1", in: "q", expires: Self.hour)
        try await former.put("2", in: "q")
        let server = TestServer(time: time)
        let row = Row(step: -0.5, isRebooted: true, gap: .zero, end: .sent)
        try await Outbox.test(restart(files, row), time: time).drain(to: server)
        #expect(server.bodies == ["1", "2"])
        #expect(server.requests.allSatisfy { $0.time >= .milliseconds(500) && $0.time < .seconds(1) })
    }

    @Test("a held entry continues within a minute after the clock was corrected")
    func corrected() async throws {
        let files = ModelFiles()
        try await Outbox.test(files, time: time).put("1", expires: Self.hour)
        let server = TestServer(time: time)
        let row = Row(step: -Self.day, isRebooted: true, gap: .zero, end: .sent)
        let outbox = Outbox.test(restart(files, row), time: time)
        let sleeps = Locked(0)
        time.onSleep { [time] in if sleeps.next() == 1 { time.stepWall(by: Self.day) } }
        try await outbox.drain(to: server)
        #expect(server.effects == ["1": 1])
        #expect(time.now <= .seconds(61))
    }

    @Test(
        "a length of zero, of a nanosecond and for ever never traps, and survives a restart",
        arguments: [Duration.zero, .nanoseconds(1), .seconds(Int64.max)]
    )
    func everyLength(length: Duration) async throws {
        let files = ModelFiles()
        let server = TestServer(time: time) { _, count in
            count == 1 ? .status(503, ["Retry-After": "99999999999999999999"]) : .status(200)
        }
        let change: (inout Outbox.Options) -> Void = {
            ($0.firstBackoff, $0.longestBackoff, $0.longestRetryAfter) = (length, length, length)
        }
        let former = Outbox.test(files, time: time, change)
        try await former.put("1", repetition: .keyIsHonoured(for: length))
        if length > .zero { try await former.put("2", expires: length) }
        let attempt = try await former.begin()
        await former.end(attempt, try await server.send(attempt))
        _ = await former.state
        let outbox = Outbox.test(files.afterKill(), time: time, change)
        let before = time.now
        try await outbox.drain(to: server)
        #expect(server.effects == (length > .seconds(1) ? ["1": 1, "2": 1] : ["1": 1]))
        #expect((time.now - before > .seconds(3_000_000_000)) == (length > .seconds(1)))
    }

    @Test("data of an older version has only the wall clock's time, and is read")
    func olderFormat() throws {
        var head = EntryHead.test(made: WallMoment(wall: 1_800_000_000_000))
        let old = try head.encoded(body: [])
        #expect(!String(decoding: old, as: UTF8.self).contains("madeBoot"))
        #expect(EntryHead.decode(old)?.0 == head)
        head.made = WallMoment(wall: 1_800_000_000_000, steady: -5, bootID: .max)
        #expect(EntryHead.decode(try head.encoded(body: []))?.0 == head)
        let mark = EntryMark(payload: Array(#"{"attempts":1,"sent":1800000000000}"#.utf8))
        #expect(mark.firstSent == WallMoment(wall: 1_800_000_000_000))
        #expect(EntryMark(payload: mark.payload) == mark)
        let new = EntryMark(firstSent: head.made)
        #expect(EntryMark(payload: new.payload) == new)
    }
}
