import CoreNetKit
import CoreNetKitChain
import CoreNetKitEndpoints
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation

/// Servers `s0`, `s1`, …, each with its latency; the first may be dead for a while: it refuses connections.
actor Cluster: Transport {
    /// The requests that each server got, second by second.
    private(set) var log: [[Int]] = []
    private let clock: ManualClock
    private let latencies: [Duration]
    private let outage: Range<Int>

    init(_ latencies: [Duration], clock: ManualClock, outage: Range<Int> = 0..<0) {
        (self.latencies, self.clock, self.outage) = (latencies, clock, outage)
    }

    nonisolated var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let second = Int(clock.now.offset / .seconds(1))
        let server = Int(request.url.host()?.dropFirst().prefix { $0 != "." } ?? "") ?? 0
        while log.count <= second { log.append(latencies.map { _ in 0 }) }
        log[second][server] += 1
        let isDead = server == 0 && outage.contains(second)
        try await clock.sleep(until: clock.now.advanced(by: isDead ? .milliseconds(1) : latencies[server]))
        if isDead { throw TransportError(.cannotConnect, phase: .connect, message: "connection refused") }
        return TransportResponse(status: 200, url: request.url)
    }
}

extension OutageDrill {
    private static func endpoints(
        _ cluster: Cluster,
        _ servers: Int,
        _ strategy: Endpoints.Strategy,
        _ clock: ManualClock
    ) -> Chain<Void, Void> {
        let members = (0..<servers).map { "https://s\($0).example" as Endpoints.Member }
        let client = Client(transport: cluster, clock: CallClock(clock), seed: 1).retry(.standard)
            .endpoints(Endpoints("https://api.example", members, choosing: strategy))
        return UrlChainsBuilder<String>(client: client).route(.get, "https://api.example/").build()
    }

    /// Two servers behind one origin; the first is dead for seven seconds.
    static func twoServers() async -> Bool {
        let (clock, outage) = (ManualClock(), 5..<12)
        let cluster = Cluster([.milliseconds(50), .milliseconds(80)], clock: clock, outage: outage)
        let calls = await run(endpoints(cluster, 2, .ordered(sticky: .seconds(5)), clock), clock, for: 20)
        let log = await cluster.log

        print(
            "\ntwo servers behind one origin; the first is dead from \(outage.lowerBound) s to \(outage.upperBound) s"
        )
        print("requests a second: ░ first, █ second\n")
        for (second, requests) in log.enumerated().prefix(20) {
            let bar = String(repeating: "░", count: requests[0] / 6) + String(repeating: "█", count: requests[1] / 6)
            print(
                "  \(padded(second, 2)) s \(outage.contains(second) ? "dead" : "    ") \(padded(requests[0], 4)) \(bar)"
            )
        }
        print("")
        let failed = calls.count { $0 == nil }
        let wasted = log[outage].map { $0[0] }.reduce(0, +)
        let back = log[outage.upperBound...].firstIndex { $0[0] > $0[1] } ?? .max
        let isSound = expect(failed == 0, "\(failed) of \(calls.count) calls failed")
        // Three failures in a row; until then the responses of the 13 requests in flight came between them.
        let isQuiet = expect(wasted <= 3 + 13, "\(wasted) requests found out that the first server was dead")
        return expect(back <= 15, "in second \(back) one probe had returned it") && isSound && isQuiet
    }

    /// Five servers, one of which is slow: what the slowest calls take with two strategies.
    static func fiveServers() async -> Bool {
        var slowest: [Duration] = []
        print("\nfive servers behind one origin, four respond after 10 ms, one after 200 ms\n")
        for (name, strategy) in [("round robin", Endpoints.Strategy.roundRobin), ("least loaded", .leastLoaded)] {
            let clock = ManualClock()
            let cluster = Cluster(
                [.milliseconds(200)] + Array(repeating: .milliseconds(10), count: 4),
                clock: clock
            )
            let calls = await run(endpoints(cluster, 5, strategy, clock), clock, for: 20).compactMap(\.self).sorted()
            let (half, most) = (calls[calls.count / 2], calls[calls.count * 99 / 100])
            let slow = await cluster.log.reduce(0) { $0 + $1[0] }
            print(
                "  \(name): p50 \(milliseconds(half)), p99 \(milliseconds(most)); the slow one got \(slow) of \(calls.count)"
            )
            slowest.append(most)
        }
        print("")
        return expect(slowest[1] * 10 <= slowest[0], "the slowest calls are at least ten times as fast")
    }

    private static func milliseconds(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1))) ms" }
}
