import CoreNetKit
import CoreNetKitLoopback
import Foundation
import Synchronization

/// A server allows ten requests in half a second, and says so; fifty calls never meet a 429.
@main
struct LearnedRate {
    static func main() async throws {
        let server = try LoopbackServer()
        let window = Mutex((start: ContinuousClock.now, used: 0))
        server.on(.get, "/items") { _ in
            let (isFree, left, reset) = window.withLock { window in
                let now = ContinuousClock.now
                if now - window.start >= .milliseconds(500) { window = (now, 0) }
                let isFree = window.used < 10
                if isFree { window.used += 1 }
                return (isFree, 10 - window.used, (window.start + .milliseconds(500) - now) / .seconds(1))
            }
            var response = isFree ? LoopbackResponse.ok : .status(429)
            response.headers["X-RateLimit-Limit"] = "10"
            response.headers["X-RateLimit-Remaining"] = "\(left)"
            response.headers["X-RateLimit-Reset"] = "\(reset)"
            return response
        }

        let client = Client(base: server.url("/")).rate(.learning())
        let items: Chain<Void, Void> = client.route(.get, "/items").build()
        try await items.call()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 2...50 { group.addTask { try await items.call() } }
            try await group.waitForAll()
        }
        print("\(server.requests.count) calls, no refusal")
    }
}
