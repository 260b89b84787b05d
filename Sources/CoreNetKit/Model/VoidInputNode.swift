/// Starts a chain that takes nothing.
///
/// in: `Void`, to next: ``EmptyPayload``, out: what next gives.
public struct VoidInputNode<Next: Node>: Node where Next.Input == EmptyPayload {
    private let next: Next

    /// Creates the node in front of `next`.
    public init(next: Next) { self.next = next }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Passes no content on.
    ///
    /// - Parameters:
    ///   - input: Nothing.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: What next throws.
    public func process(_ input: Void, context: RequestContext) async throws -> Next.Output {
        try await next.process(EmptyPayload(), context: context)
    }
}
