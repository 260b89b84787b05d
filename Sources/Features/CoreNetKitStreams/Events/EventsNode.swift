import CoreNetKitChain

/// Opens a stream of events: the first node of its chain.
///
/// in: `Input`, out: `EventStream`. Each connection is a call of the chain below.
struct EventsNode<Input: Sendable, Model: Sendable>: Node {
    /// A chain like those of the connections, for diagrams.
    let pattern: any Node
    let open: @Sendable (Input, CallUser) -> EventStream<Model>

    var successors: [any Node] { [pattern] }

    func process(_ input: Input, context: RequestContext) async throws -> EventStream<Model> {
        let stream = open(input, context.user)
        try await stream.connection.open()
        return stream
    }
}
