/// A node whose concrete type does not matter: for storage, and for nodes made from a closure.
public struct AnyNode<Input: Sendable, Output: Sendable>: PositionedNode {
    /// The stable name of the wrapped node.
    public let id: NodeID
    /// The nodes that the wrapped one may call.
    public let successors: [any Node]
    package let position: ChainPosition?
    private let body: @Sendable (Input, RequestContext) async throws -> Output

    /// Wraps a node.
    public init(_ node: some Node<Input, Output>) {
        id = node.id
        position = (node as? any PositionedNode)?.position
        successors = node.successors
        body = { try await node.process($0, context: $1) }
    }

    /// Makes a node from a closure.
    public init(
        _ id: NodeID,
        successors: [any Node] = [],
        _ body: @escaping @Sendable (Input, RequestContext) async throws -> Output
    ) {
        self.id = id
        position = nil
        self.successors = successors
        self.body = body
    }

    /// Calls the wrapped node.
    public func process(_ input: Input, context: RequestContext) async throws -> Output {
        try await body(input, context)
    }
}
