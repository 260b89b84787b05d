public import CoreNetKitHTTP

/// Adds the metadata of the call to its payload.
///
/// in: `Payload`, to next: `RequestModel<Payload>`, out: what next gives.
public struct MetadataNode<Payload: Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<RequestModel<Payload>, Output>
    private let metadata: Headers

    /// Creates the node in front of `next`.
    public init(next: any Node<RequestModel<Payload>, Output>, metadata: Headers = [:]) {
        self.next = next
        self.metadata = metadata
    }

    /// Passes payload and metadata on.
    ///
    /// - Parameters:
    ///   - input: The payload.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: What next throws.
    public func process(_ input: Payload, context: RequestContext) async throws -> Output {
        try await next.process(RequestModel(metadata: metadata, payload: input), context: context)
    }
}
