import CoreNetKit
import CoreNetKitChain
import CoreNetKitLoopback
import Foundation

/// A policy with its own verb: a tenant's field on each request; a builder overrides the client's value.
struct TenantPolicy: ChainPolicy {
    let tenant: String

    var positions: [ChainPosition] { [.outside(of: .status, "tenant")] }
    var problem: String? { tenant.isEmpty ? "a tenant needs a name" : nil }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("Tenant", successors: [next]) { request, context in
            var request = request
            request.headers["X-Tenant"] = tenant
            return try await next.process(request, context: context)
        }
    }
}

extension PolicyHolder {
    func tenant(_ name: String) -> Self { without(.outside(of: .status, "tenant")).with(TenantPolicy(tenant: name)) }
}

@main
struct OwnPolicy {
    static func main() async throws {
        let server = try LoopbackServer { .text($0.headers["X-Tenant"] ?? "none") }
        let client = Client().tenant("acme")
        let builder = UrlChainsBuilder<URL>(client: client).route(.get, server.url)
        print("client's:  \(try await builder.build().call() as String)")
        print("builder's: \(try await builder.tenant("globex").build().call() as String)")
        do { try await builder.tenant("").build().call() as Void } catch let error as NetworkError {
            print("\(error.code): \(error.message); \(server.requests.count) requests")
        }
    }
}
