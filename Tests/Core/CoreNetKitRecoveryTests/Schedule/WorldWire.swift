import CoreNetKit
import CoreNetKitMock
import CoreNetKitHTTP
import CoreNetKitSystem

/// Responds at random: latency, statuses, lost connections, refused tokens.
struct WorldWire: Transport {
    let clock: ManualClock
    let record: Locked<WorldRecord>
    let valid: Locked<Int>
    let dice: Dice
    let settings: WorldSettings

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let caller = request.headers["X-Call"].flatMap { Int($0) }
        record.withLock { record in
            if let caller { record.sent[caller] += 1 }
            record.requests.enter()
        }
        defer { record.withLock { $0.requests.now -= 1 } }
        let start = clock.now
        let latency = settings.time(dice, below: 2000)
        let limit = request.timeouts.total ?? .seconds(3600)
        try await clock.sleep(until: start.advanced(by: min(latency, limit)))
        if latency >= limit { throw TransportError(.timedOut, phase: .wait, message: "scripted") }
        if dice.rolls(oneIn: 6) { valid.withLock { $0 += 1 } }
        guard request.headers["Authorization"] == "Bearer \(valid.withLock { $0 })" else {
            return .init(status: 401, url: request.url)
        }
        switch dice.roll(8) {
        case 0: return .init(status: 503, headers: ["Retry-After": "\(dice.roll(4))"], url: request.url)
        case 1: throw TransportError(.connectionLost, phase: .wait, message: "scripted")
        case 2: return .init(status: 500, url: request.url)
        default: return .init(status: 200, url: request.url)
        }
    }
}
