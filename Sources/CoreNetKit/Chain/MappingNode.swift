/// Changes what leaves a chain by a closure.
struct MappingNode<Input: Sendable, From: Sendable, Output: Sendable>: Node {
    private let next: any Node<Input, From>
    private let transform: @Sendable (From) throws -> Output

    init(next: any Node<Input, From>, _ transform: @escaping @Sendable (From) throws -> Output) {
        self.next = next
        self.transform = transform
    }

    var successors: [any Node] { [next] }

    func process(_ input: Input, context: RequestContext) async throws -> Output {
        try transform(try await next.process(input, context: context))
    }
}
