import CoreNetKitChain
import CoreNetKitHTTP

/// Prepares the request of a chain whose content is streamed.
struct StreamRequest: ChainPolicy {
    let idle: Duration?
    var fields: Headers = [:]
    var change: (@Sendable (inout TransportRequest) throws -> Void)?

    var positions: [ChainPosition] { [.inside(of: .headers, "stream")] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("StreamRequestNode", successors: [next]) { request, context in
            var request = request
            request.timeouts.idle = idle
            request.headers.merge(fields)
            try change?(&request)
            return try await next.process(request, context: context)
        }
    }
}

extension StreamRequest {
    /// A node next to the wire, which takes from a request to another origin the credentials that nodes in between have added.
    static func originNode(
        _ id: NodeID,
        before next: Exchange,
        isForeign: @escaping @Sendable (TransportRequest) -> Bool
    ) -> Exchange {
        AnyNode(id, successors: [next]) { request, context in
            var request = request
            if isForeign(request) { request.removeSecrets(by: context.secrets, and: context.credentialFields) }
            return try await next.process(request, context: context)
        }
    }
}
