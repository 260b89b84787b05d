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

extension TransportRequest {
    /// The request for another origin than the one that its credentials are for.
    func withoutCredentials(of context: RequestContext) -> TransportRequest {
        var request = self
        request.removeSecrets(by: context.secrets, and: context.credentialFields)
        return request
    }
}
