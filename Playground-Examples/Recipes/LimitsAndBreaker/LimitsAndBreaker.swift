import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// Two places for ten calls; then a failing server, until the breaker stops calling it.
@main
struct LimitsAndBreaker {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/slow", LoopbackResponse.ok.delayed(by: .milliseconds(40)))
        server.on(.get, "/down", .status(503))

        let limiter = ConcurrencyLimiter(total: 2, perHost: 2)
        let slow: Chain<Void, Void> = UrlChainsBuilder<URL>(client: Client().limit(limiter))
            .route(.get, server.url("/slow"))
            .build()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...10 { group.addTask { try await slow.call() } }
            try await group.waitForAll()
        }
        let isSlow = ContinuousClock.now - start > .milliseconds(200)
        print("ten calls, two at a time: \(isSlow ? "more than" : "less than") 200 ms")

        let breaker = CircuitBreaker(minimumCalls: 5)
        let down: Chain<Void, Void> = UrlChainsBuilder<URL>(client: Client().breaker(breaker))
            .route(.get, server.url("/down"))
            .build()
        var codes: [NetworkError.Code] = []
        for _ in 1...8 {
            do { try await down.call() } catch let error as NetworkError { codes.append(error.code) }
        }
        print(codes)
        print("open: \(breaker.isOpen), requests: \(server.requests.count { $0.path == "/down" })")
    }
}
