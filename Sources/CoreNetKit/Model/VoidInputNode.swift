/// Starts a chain that takes nothing.
///
/// in: `Void`, to next: ``EmptyPayload``, out: what next gives.
package struct VoidInputNode<Output: Sendable>: ChainStep {
    /// The next node.
    package let next: any Node<EmptyPayload, Output>

    /// Creates the node in front of `next`.
    package init(next: any Node<EmptyPayload, Output>) { self.next = next }

    /// Passes no content on.
    ///
    /// - Parameters:
    ///   - input: Nothing.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: What next throws.
    package func process(_ input: Void, context: RequestContext) async throws -> Output {
        try await next.process(EmptyPayload(), context: context)
    }
}
