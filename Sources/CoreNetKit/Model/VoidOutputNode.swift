/// Ends a chain that gives nothing: the status was checked, the content is not looked at.
///
/// in and to next: unchanged, out: `Void`.
public struct VoidOutputNode<Next: Node>: Node where Next.Output == EmptyPayload {
    private let next: Next

    /// Creates the node in front of `next`.
    public init(next: Next) { self.next = next }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Passes the input on and gives nothing back.
    ///
    /// - Parameters:
    ///   - input: What next takes.
    ///   - context: What belongs to this call alone.
    /// - Throws: What next throws.
    public func process(_ input: Next.Input, context: RequestContext) async throws {
        _ = try await next.process(input, context: context)
    }
}
