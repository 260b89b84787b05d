import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// A POST is repeated only if the server can recognise it: with an idempotency key.
@main
struct RetryPost {
    nonisolated struct Order: Encodable, Sendable { var item: String }

    static func main() async throws {
        let quick = RetryPolicy(limit: 2, backoff: .exponential(base: .milliseconds(50), cap: .milliseconds(50)))
        for client in [Client().retry(quick), Client().retry(quick).idempotencyKey()] {
            let server = try LoopbackServer()
            server.on(.post, "/orders", .status(503), .json(#"{"id": 1}"#, status: 201))
            let chain: Chain<Order, Json> = UrlChainsBuilder<URL>(client: client)
                .route(.post, server.url("/orders"))
                .build()
            do {
                let made = try await chain.call(Order(item: "tea"))
                print("order \(made["id"]?.int ?? 0) after \(server.requests.count) requests")
            } catch {
                print("given up after \(server.requests.count) request: \(error)")
            }
            let keys = Set(server.requests.map { $0.headers["Idempotency-Key"] ?? "none" })
            print("  keys: \(keys.count) for \(server.requests.count), \(keys.contains("none") ? "none" : "the same")")
        }
    }
}
