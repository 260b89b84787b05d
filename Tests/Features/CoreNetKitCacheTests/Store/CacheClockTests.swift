import CoreNetKitCache
import TestSupport

/// What is stored across runs of a program, while the clock is being set.
@Suite("Stored responses and clock steps", .timeLimit(.minutes(10)), .paced)
struct CacheClockTests {
    private static let day: Int64 = 86_400_000
    static let steps: [Int64] = [-3650 * day, -day, -500, day, 3650 * day]
    private let setting = Setting(fresh)

    /// Another run on the same storage: the machine may have been rebooted, and the clock was set.
    private func restart(_ setting: Setting, step: Int64, isRebooted: Bool) {
        setting.time.step(step)
        if isRebooted { setting.time.reboot() }
    }

    @Test("within one boot a stored response is used, whatever the clock is set to", arguments: steps)
    func sameBoot(step: Int64) async throws {
        try await setting.send()
        restart(setting, step: step, isRebooted: false)
        try await setting.send()
        #expect(setting.origin.count == 1)
        setting.time.advance(60)
        try await setting.send()
        #expect(setting.origin.count == 2)
    }

    @Test("after a reboot an unknown age is validated once, and the response is stored and used", arguments: steps)
    func otherBoot(step: Int64) async throws {
        try await setting.send()
        restart(setting, step: step, isRebooted: true)
        try await setting.send()
        #expect(setting.origin.count == 2)
        #expect(setting.outcome?.isStored == true)
        for _ in 0..<3 { try await setting.send() }
        #expect(setting.origin.count == 2)
    }

    @Test("a write under a clock that was ahead makes no URL uncacheable", arguments: steps, [false, true])
    func write(step: Int64, isRebooted: Bool) async throws {
        try await setting.send()
        try await setting.send(TransportRequest(method: .post, url: page))
        restart(setting, step: step, isRebooted: isRebooted)
        setting.time.advance(1)
        try await setting.send()
        #expect(setting.origin.count == 3)
        try await setting.send()
        #expect(setting.origin.count == 3)
    }

    @Test("an invalidated group stays invalid until its responses arrive again", arguments: steps, [false, true])
    func groups(step: Int64, isRebooted: Bool) async throws {
        let setting = Setting(["Cache-Control": "max-age=600000", "Cache-Groups": "\"g\""])
        try await setting.send()
        restart(setting, step: step, isRebooted: isRebooted)
        setting.time.advance(1)
        await setting.engine.invalidate(group: "g", of: page)
        setting.time.advance(1)
        try await setting.send()
        #expect(setting.origin.count == 2)
        restart(setting, step: -step, isRebooted: isRebooted)
        setting.time.advance(1)
        try await setting.send()
        let count = setting.origin.count
        #expect(count <= 3)
        try await setting.send()
        #expect(setting.origin.count == count)
    }

    @Test("of two exchanges in one run the one that began later stays, unless only it was invalidated")
    func order() {
        var record = CacheRecord()
        let early = CacheTime(wallMilliseconds: 9_000, monotonicMilliseconds: 1, bootID: 1)
        let late = CacheTime(wallMilliseconds: 1_000, monotonicMilliseconds: 2, bootID: 1)
        record.put(stored(at: late))
        record.put(stored(at: early))
        #expect(record.variants.map(\.requestTime) == [late])
        record.generations.url = 1
        record.put(stored(at: early))
        #expect(record.variants.map(\.requestTime) == [late], "both were marked")
        var newer = stored(at: early)
        newer.generations.url = 1
        record.put(newer)
        #expect(record.variants.map(\.requestTime) == [early] && !record.isInvalidated(record.variants[0]))
    }

    @Test("of two runs the one that stores last stays, whatever its clock says")
    func runs() {
        var record = CacheRecord()
        record.put(stored(at: CacheTime(wallMilliseconds: 9_000, monotonicMilliseconds: 9, bootID: 1)))
        record.put(stored(at: CacheTime(wallMilliseconds: 1_000, monotonicMilliseconds: 1, bootID: 2)))
        #expect(record.variants.map(\.requestTime.bootID) == [2])
    }
}
