public import CoreNetKitHTTP

/// Adds the metadata of the call to its payload.
///
/// in: `Payload`, to next: `RequestModel<Payload>`, out: the output of next.
public struct MetadataNode<Payload: Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<RequestModel<Payload>, Output>
    private let metadata: Headers

    /// Creates the node before `next`.
    public init(next: any Node<RequestModel<Payload>, Output>, metadata: Headers = [:]) {
        self.next = next
        self.metadata = metadata
    }

    /// Passes payload and metadata on.
    ///
    /// - Parameters:
    ///   - input: The payload.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: An error of the next node.
    public func process(_ input: Payload, context: RequestContext) async throws -> Output {
        try await next.process(RequestModel(metadata: metadata, payload: input), context: context)
    }
}
