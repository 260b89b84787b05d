import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation

/// A server that is down for a while, and counts the requests that reach it.
actor Server: Transport {
    struct Second {
        var calls = 0
        var repetitions = 0
        var responded = 0

        var requests: Int { calls + repetitions }
    }

    private(set) var log: [Second] = []
    private let clock: ManualClock
    private let outage: Range<Int>

    init(clock: ManualClock, outage: Range<Int>) {
        self.clock = clock
        self.outage = outage
    }

    nonisolated var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let second = Int(clock.now.offset / .seconds(1))
        let isDown = outage.contains(second)
        while log.count <= second { log.append(Second()) }
        if request.headers.contains("X-Attempt") {
            log[second].repetitions += 1
        } else {
            log[second].calls += 1
        }
        if !isDown { log[second].responded += 1 }
        try await clock.sleep(until: clock.now.advanced(by: .milliseconds(isDown ? 5 : 50)))
        return TransportResponse(status: isDown ? 503 : 200, url: request.url)
    }
}
