/// Changes the output of a chain with a closure.
package struct MappingNode<Input: Sendable, From: Sendable, Output: Sendable>: ChainStep {
    package let next: any Node<Input, From>
    private let transform: @Sendable (From) async throws -> Output

    package init(
        next: any Node<Input, From>,
        _ transform: @escaping @Sendable (From) async throws -> Output
    ) {
        self.next = next
        self.transform = transform
    }

    package func process(_ input: Input, context: RequestContext) async throws -> Output {
        try await transform(try await next.process(input, context: context))
    }
}
