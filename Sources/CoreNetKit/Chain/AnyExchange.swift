import CoreNetKitHTTP

/// Any node of the part of the chain that is bytes on both sides, as one type: without the closures of `AnyNode`.
struct AnyExchange: Node {
    private let next: Exchange

    init(_ next: Exchange) { self.next = next }

    // Not a step of its own: the chain is drawn as if it were not there.
    var id: NodeID { next.id }
    var successors: [any Node] { next.successors }

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        try await next.process(input, context: context)
    }
}
