import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing

@Suite("The wait that a server requests", .timeLimit(.minutes(10)), .paced)
struct RetryAfterTests {
    @Test("in the past does not shorten the back-off")
    func past() async throws {
        var waits: [Duration] = []
        for headers: Headers in [[:], ["Retry-After": "Sun, 09 Sep 2001 01:46:30 GMT"]] {
            let wire = Wire(statuses: [503, 200], headers: headers)
            let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: wire.client(seed: 1))
                .retry(.standard).route(.get, host).build()
            try await wire.clock.running { try await chain.process() }
            waits.append(try #require(wire.times.last))
        }
        #expect(waits[0] > .zero)
        #expect(waits[0] == waits[1])
    }
}
