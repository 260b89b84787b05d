/// Ends a chain that gives nothing: the status was checked, the content is not looked at.
///
/// in and to next: unchanged, out: `Void`.
public struct VoidOutputNode<Input: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Input, EmptyPayload>

    /// Creates the node in front of `next`.
    public init(next: any Node<Input, EmptyPayload>) { self.next = next }

    /// Passes the input on and gives nothing back.
    ///
    /// - Parameters:
    ///   - input: What next takes.
    ///   - context: What belongs to this call alone.
    /// - Throws: What next throws.
    public func process(_ input: Input, context: RequestContext) async throws {
        _ = try await next.process(input, context: context)
    }
}
