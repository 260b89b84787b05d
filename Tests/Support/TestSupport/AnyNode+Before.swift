extension AnyNode<TransportRequest, TransportResponse> {
    /// A node that sees each request, and may change it, before the next node gets it.
    package init(
        _ id: NodeID,
        before next: Exchange,
        _ step: @escaping @Sendable (inout TransportRequest, RequestContext) async throws -> Void = { _, _ in }
    ) {
        self.init(id, successors: [next]) { request, context in
            var request = request
            try await step(&request, context)
            return try await next.process(request, context: context)
        }
    }
}
