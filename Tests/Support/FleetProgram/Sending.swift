import CoreNetKit
import CoreNetKitFleet
import CoreNetKitHTTP
import Foundation
import Synchronization

/// Sends as fast as a shared rate allows, between two times of day that a line of the input names, in milliseconds.
struct Sending {
    private struct Nowhere: Transport {
        var capabilities: TransportCapabilities { [] }
        let sent: Count

        func clientIdentity(for url: URL) -> String? { "" }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            sent.add()
            return TransportResponse(status: 200, url: request.url)
        }
    }

    private final class Count: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    private let chain: Chain<Void, Void>
    private let sent = Count()
    private let events = Count()

    init(_ store: ValkeyStore, rate: Int, burst: Int, processes: Int) {
        let events = events
        let limiter = RateLimiter(
            rate,
            burst: burst,
            named: "test",
            in: store,
            ifStoreUnavailable: .localShare(of: processes),
            events: { _ in events.add() }
        )
        chain = UrlChainsBuilder<String>(client: Client(transport: Nowhere(sent: sent)).rate(with: limiter))
            .set(deadline: nil)
            .route(.get, "http://localhost")
            .build()
    }

    func run() async {
        FleetProgram.say("ready")
        while let line = readLine() {
            let times = line.split(separator: " ").compactMap { Double($0) }.map { $0 / 1000 }
            guard times.count == 2 else { exit(2) }
            let before = (sent.value, events.value)
            // Real time: the processes agree on a beginning.
            try? await Task.sleep(for: .seconds(max(0, times[0] - Date().timeIntervalSince1970)))
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        while Date().timeIntervalSince1970 < times[1] { try? await chain.process() }
                    }
                }
            }
            FleetProgram.say("sent \(sent.value - before.0) \(events.value - before.1)")
        }
    }
}
