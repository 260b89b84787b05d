import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace
import Testing

@Suite("Cache validations and deadlines", .timeLimit(.minutes(10)), .paced)
struct RefreshDeadlineTests {
    @Test("a background validation starts without the deadline of the call that caused it")
    func refreshWithoutDeadline() async throws {
        let inherited = Locked<[Bool]>([])
        let shop = ShopClient { request, number in
            inherited.withLock { $0.append(CallDeadline.current != nil) }
            return reply(200, ["Cache-Control": "max-age=1, stale-while-revalidate=60"], "\(number)", url: request.url)
        }
        _ = try await shop.text { $0.set(deadline: .seconds(5)) }
        shop.time.advance(5)
        #expect(try await shop.text { $0.set(deadline: .seconds(5)) } == "1")
        while shop.cache.counts.stored < 2 { await Task.yield() }
        #expect(inherited.withLock { $0 } == [true, false])
    }
}
