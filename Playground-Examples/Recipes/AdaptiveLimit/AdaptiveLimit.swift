import CoreNetKit
import CoreNetKitLoopback
import Foundation
import Synchronization

/// A server with four workers of 10 ms each; 1500 calls find out how many of them it can take.
@main
struct AdaptiveLimit {
    static func main() async throws {
        let server = try LoopbackServer()
        let workers = Mutex([ContinuousClock.Instant](repeating: .now, count: 4))
        server.on(.get, "/work") { _ in
            let end = workers.withLock { workers in
                workers.sort()
                workers[0] = max(workers[0], .now) + .milliseconds(10)
                return workers[0]
            }
            try await Task.sleep(until: end)
            return .ok
        }

        let limiter = ConcurrencyLimiter.adaptive()
        let work: Chain<Void, Void> = Client(base: server.url("/")).limit(limiter).route(.get, "/work").build()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...1500 {
                group.addTask {
                    try await work.call()
                    return limiter.total
                }
            }
            var all = 0
            for try await sum in group { all += sum }
            return all
        }
        print("began with 10 at a time, \(sum / 1500) on average, \(limiter.total) now")
    }
}
