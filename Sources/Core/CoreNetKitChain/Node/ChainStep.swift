/// A node with a single next node, like most nodes.
///
/// It provides `successors`. A node that branches, or that ends the chain, conforms to ``Node`` directly.
public protocol ChainStep: Node {
    /// The type of the next node, `any Node<A, B>`.
    associatedtype Next: Sendable

    /// The node after this one.
    var next: Next { get }
}

extension ChainStep {
    /// The next node.
    public var successors: [any Node] { (next as? any Node).map { [$0] } ?? [] }
}
