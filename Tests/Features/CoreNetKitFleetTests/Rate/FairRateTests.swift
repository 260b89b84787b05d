import CoreNetKit
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSharedStore
import CoreNetKitSystem
import TestPace
import TestSupport
import Testing

@Suite("A rate that eight processes share is shared by turns", .timeLimit(.minutes(10)), .paced)
struct FairRateTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var rate = 50
        var burst = 10
        /// How many calls wait in each process at any time.
        var callers = Array(repeating: 8, count: 8)
        /// How long each 20th reply of the store takes.
        var stutter = Duration.zero
    }

    private static let rows = [
        Row(testDescription: "as it was found: 50 a second, burst 10"),
        Row(testDescription: "no burst", burst: 1),
        Row(testDescription: "a faster one", rate: 200, burst: 20),
        Row(testDescription: "many callers in one of them", callers: [64] + Array(repeating: 8, count: 7)),
        Row(testDescription: "few callers in one of them", callers: [2] + Array(repeating: 16, count: 7)),
        Row(testDescription: "a store that stutters", stutter: .milliseconds(100)),
    ]

    @Test(
        "none has less than half of its share in ten seconds, and no call fails whose turn comes in time",
        arguments: rows
    )
    func fair(row: Row) async throws {
        let (clock, counts) = (ManualClock(), Locked([Int: Int]()))
        let failures = Recorder<NetworkError>()
        let local = LocalStore(clock: clock)
        let end = Duration.seconds(10)
        let clients = (0..<8).map { process in
            let store = WatchedStore(local)
            if row.stutter > .zero {
                store.on(.take, .after) { count throws(SharedStoreError) in
                    guard count.isMultiple(of: 20) else { return }
                    try? await clock.sleep(until: clock.now.advanced(by: row.stutter))
                }
            }
            let limiter = RateLimiter(row.rate, burst: row.burst, named: "api", in: store, ifStoreUnavailable: .closed)
            let transport = ClosureTransport { request in
                if clock.now.offset < end { counts.withLock { $0[process, default: 0] += 1 } }
                return .init(status: 200, url: request.url)
            }
            return Client(transport: transport, clock: CallClock(clock)).rate(with: limiter)
        }
        try await clock.running {
            let callers = zip(clients, row.callers).flatMap { Array(repeating: $0, count: $1) }
            try await concurrently(callers.count) { number in
                while clock.now.offset < end {
                    let error = await failure { try await callers[number].call(deadline: .seconds(5)) }
                    if let error { failures.record(error) }
                }
            }
        }
        let sent = (0..<8).map { process in counts.withLock { $0[process, default: 0] } }
        let (total, allowed) = (Double(sent.reduce(0, +)), Double(row.rate * 10 + row.burst))
        #expect(sent.allSatisfy { Double($0) >= Double(row.rate * 10) / 16 }, "\(sent)")
        #expect(total <= allowed * 1.01 + 1, "\(sent)")
        #expect(total >= allowed * 0.8, "\(sent)")
        // Those whose processes have more callers than their turns in five seconds allow are late by right.
        if row.callers.allSatisfy({ Double($0 * 8) / Double(row.rate) < 4.5 }) {
            #expect(failures.values.isEmpty, "\(failures.values.count): \(String(describing: failures.values.first))")
        }
    }

    @Test("of calls that come at once those pass whose place comes before the deadline, and the others fail")
    func atOnce() async throws {
        let (clock, sent) = (ManualClock(), Recorder<Duration>())
        let local = LocalStore(clock: clock)
        let transport = ClosureTransport { request in
            sent.record(clock.now.offset)
            return .init(status: 200, url: request.url)
        }
        let clients = (0..<8).map { _ in
            let limiter = RateLimiter(50, burst: 10, named: "api", in: local, ifStoreUnavailable: .closed)
            return Client(transport: transport, clock: CallClock(clock)).rate(with: limiter)
        }
        let codes = try await clock.running {
            try await concurrently(320) { number in
                await failure { try await clients[number % 8].call(deadline: .seconds(5)) }?.code
            }
        }
        let failed = codes.compactMap(\.self)
        #expect(failed.allSatisfy { $0 == .rateLimited })
        // 4.5 s are 225 places.
        #expect(failed.count <= 320 - 225, "\(failed.count)")
        #expect(sent.values.count <= 260)
    }
}
