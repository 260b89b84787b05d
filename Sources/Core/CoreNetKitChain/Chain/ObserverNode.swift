/// A step in observer style, `process(_:) -> Observer<Output>`, as a node of a chain.
///
/// Cancelling the call cancels the observer. Its first outcome is the result.
public struct ObserverNode<Input: Sendable, Output: Sendable>: Node {
    /// The stable name.
    public let id: NodeID
    /// The nodes that the closure may call.
    public let successors: [any Node]
    private let body: @Sendable (Input) -> Observer<Output>

    /// Makes a node from a closure that returns an observer.
    public init(
        _ id: NodeID,
        successors: [any Node] = [],
        _ body: @escaping @Sendable (Input) -> Observer<Output>
    ) {
        self.id = id
        self.successors = successors
        self.body = body
    }

    /// Calls the closure and waits for the first outcome.
    public func process(_ input: Input, context: RequestContext) async throws -> Output {
        try await body(input).value
    }
}
