public import CoreNetKitChain
import CoreNetKitHTTP

extension Endpoints: BuiltInPolicy {
    /// Gives the attempts of a call a common memory.
    private static let memory = ChainPosition.outside(of: .retry, "endpoints")
    /// To the member, for the cookies of its host.
    private static let toCookies = ChainPosition.outside(of: .cookies, "endpoints")
    /// Back to the logical origin, which the cache's keys name.
    private static let toStore = ChainPosition.inside(of: .cookies, "endpoints")
    /// To the member, for good.
    private static let toWire = ChainPosition.inside(of: .store, "endpoints")

    /// Inside everything that repeats requests, with nodes that give each request the URL of its member.
    package var nodePositions: [ChainPosition] {
        [.endpoint, Self.memory, Self.toCookies, Self.toStore, Self.toWire]
    }

    /// The members serve the same responses.
    package var callScope: PolicyScope { .none }

    /// Makes the node of a position.
    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        let hasCookies = parts.has(.cookies)
        switch position {
        case .endpoint: return EndpointNode(next: next, endpoints: self, parts: parts)
        case Self.memory:
            guard parts.has(.retry) || parts.has(.hedge) else { return next }
            return AnyNode("EndpointMemory", successors: [next]) { request, context in
                var context = context
                context.attributes[TriedMembers.self] = TriedMembers()
                return try await next.process(request, context: context)
            }
        case Self.toCookies: return hasCookies ? MemberNode(next: next, endpoints: self, role: .first) : next
        case Self.toStore: return hasCookies ? MemberNode(next: next, endpoints: self, role: .back) : next
        default: return MemberNode(next: next, endpoints: self, role: hasCookies ? .last : .only)
        }
    }
}

extension PolicyHolder {
    /// Sends the requests of a logical origin to its members; clients with the same object share what is known of them.
    public func endpoints(_ endpoints: Endpoints) -> Self { with(endpoints) }
}

/// Gives a request the URL of its member, or the logical one back; the response names the URL that came in.
struct MemberNode: ChainStep {
    /// With cookies: to the member before they are added, back to the logical origin, to the member again.
    enum Role: Sendable { case first, back, last, only }

    let next: Exchange
    let endpoints: Endpoints
    let role: Role

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard let target = context.attributes[MemberTarget.self],
            var request = role == .back ? input.logical : input.sent(to: target.names)
        else { return try await next.process(input, context: context) }
        // The cookies of the member's own host are added after that.
        if !target.isTrusted, role == .first || role == .only {
            request.removeSecrets(by: context.secrets, and: context.credentialFields)
        }
        var response = try await next.process(request, context: context)
        if role == .last || role == .only { response = endpoints.renamed(response) }
        response.url = input.url
        return response
    }
}
