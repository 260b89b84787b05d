import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Background validations", .timeLimit(.minutes(10)), .paced)
struct BackgroundRefreshesTests {
    private func key(_ number: Int) throws -> CacheKey {
        CacheKey(url: try #require(URL(string: "http://a.test/\(number)")))
    }

    @Test("a few run at once, one per key; further ones are skipped, and may come again later")
    func limit() async throws {
        let refreshes = BackgroundRefreshes(limit: 3)
        let gate = Signal()
        let begun = Signal()
        var started: [Bool] = []
        for number in [0, 0, 1, 2, 3, 4, 1] {
            started.append(
                refreshes.start(try key(number)) {
                    begun.signal()
                    await gate.wait()
                }
            )
        }
        #expect(started == [true, false, true, true, false, false, false])
        await begun.wait(3)
        gate.signal()
        await refreshes.idle()
        #expect(refreshes.start(try key(4)) {})
        await refreshes.idle()
    }

    @Test("eight run at once by default")
    func standard() async throws {
        let refreshes = BackgroundRefreshes()
        let gate = Signal()
        let started = try (0..<20).map { number in refreshes.start(try key(number)) { await gate.wait() } }
        #expect(started.count { $0 } == 8)
        #expect(started.prefix(8).allSatisfy { $0 })
        gate.signal()
        await refreshes.idle()
    }

    @Test("are cancelled at the end, after which none starts")
    func end() async throws {
        let refreshes = BackgroundRefreshes()
        let begun = Signal()
        let wasCancelled = Locked(false)
        refreshes.start(try key(0)) {
            begun.signal()
            let never = Signal()
            await never.wait()
            wasCancelled.withLock { $0 = Task.isCancelled }
        }
        await begun.wait()
        refreshes.end()
        await refreshes.idle()
        #expect(wasCancelled.withLock { $0 })
        #expect(!refreshes.start(try key(1)) {})
    }
}
