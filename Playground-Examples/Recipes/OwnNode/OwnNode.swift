import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

/// One node that counts, at three positions: once per call, per attempt, and per exchange on the wire.
@main
struct OwnNode {
    struct PrintingNode: ChainStep {
        let next: Exchange
        let name: String

        func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
            print("\(name) → \(input.url.path), attempt \(context.attempt)")
            let response = try await next.process(input, context: context)
            print("\(name) ← \(response.status)")
            return response
        }
    }

    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/old", .status(301, headers: ["Location": "/new"]))
        server.on(.get, "/new", .status(503), .ok)
        let quick = RetryPolicy(limit: 1, backoff: .exponential(base: .milliseconds(20), cap: .milliseconds(20)))
        let chain: Chain<Void, Void> = UrlChainsBuilder<URL>(client: Client().retry(quick))
            .route(.get, server.url("/old"))
            .insert(at: .call) { PrintingNode(next: $0, name: "call") }
            .insert(at: .attempt) { PrintingNode(next: $0, name: "  attempt") }
            .insert(at: .exchange) { PrintingNode(next: $0, name: "    exchange") }
            .build()
        print(chain.description)
        try await chain.call()
    }
}
