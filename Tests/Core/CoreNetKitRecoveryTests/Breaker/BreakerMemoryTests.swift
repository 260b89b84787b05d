import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@Suite("What a circuit breaker remembers", .timeLimit(.minutes(10)), .paced)
struct BreakerMemoryTests {
    @Test("nothing from before it opened, once it is closed again")
    func closedAgain() async throws {
        let status = Locked(503)
        let wire = Wire { _, request in .init(status: status.withLock { $0 }, url: request.url) }
        // A window longer than the pause: counts must be forgotten, not merely expire.
        let breaker = CircuitBreaker(minimumCalls: 4, window: .seconds(1000), pause: .seconds(1))
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: wire.client())
            .breaker(breaker).route(.get, host).build()
        for round in 1...2 {
            status.withLock { $0 = 503 }
            for number in 1...4 {
                #expect(!breaker.isOpen, "\(round).\(number)")
                #expect(await failure { try await chain.process() }?.status == 503)
            }
            #expect(breaker.isOpen)
            wire.clock.advance(by: .seconds(1))
            status.withLock { $0 = 200 }
            try await chain.process()
            #expect(!breaker.isOpen)
        }
    }
}
