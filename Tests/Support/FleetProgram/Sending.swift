import CoreNetKit
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

/// Sends as fast as a shared rate allows, between two times of day that a line of the input names, in milliseconds.
struct Sending {
    private let chain: Chain<Void, Void>
    private let nowhere = Nowhere()
    private let events = Locked(0)

    init(_ store: ValkeyStore, rate: Int, burst: Int, processes: Int) {
        let events = events
        let limiter = RateLimiter(
            rate,
            burst: burst,
            named: "test",
            in: store,
            ifStoreUnavailable: .localShare(of: processes),
            events: { _ in events.withLock { $0 += 1 } }
        )
        let client = Client(transport: nowhere).rate(limiter)
        chain = UrlChainsBuilder<String>(client: client).set(deadline: nil).route(.get, "http://localhost").build()
    }

    func run() async {
        FleetProgram.say("ready")
        while let line = readLine() {
            let times = line.split(separator: " ").compactMap { Double($0) }.map { $0 / 1000 }
            guard times.count == 2 else { exit(2) }
            let before = counts
            // Real time: the processes agree on a beginning.
            try? await Task.sleep(for: .seconds(max(0, times[0] - Date().timeIntervalSince1970)))
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        while Date().timeIntervalSince1970 < times[1] { try? await chain.process() }
                    }
                }
            }
            FleetProgram.say("sent \(counts.sent - before.sent) \(counts.events - before.events)")
        }
    }

    private var counts: (sent: Int, events: Int) { (nowhere.sent.withLock { $0 }, events.withLock { $0 }) }
}
