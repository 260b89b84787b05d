/// Starts a chain without input.
///
/// in: `Void`, to next: ``EmptyPayload``, out: the output of next.
package struct VoidInputNode<Output: Sendable>: ChainStep {
    /// The next node.
    package let next: any Node<EmptyPayload, Output>

    /// Creates the node before `next`.
    package init(next: any Node<EmptyPayload, Output>) { self.next = next }

    /// Passes no content on.
    ///
    /// - Parameters:
    ///   - input: Nothing.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: An error of the next node.
    package func process(_ input: Void, context: RequestContext) async throws -> Output {
        try await next.process(EmptyPayload(), context: context)
    }
}
