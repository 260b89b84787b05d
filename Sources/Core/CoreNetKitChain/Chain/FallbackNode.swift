/// Takes over when a node has failed.
///
/// It has the same types as the node that it replaces. The call's deadline is not renewed.
struct FallbackNode<Input: Sendable, Output: Sendable>: Node {
    typealias Recovery = @Sendable (Input, NetworkError, RequestContext) async throws -> Output

    let first: any Node<Input, Output>
    let other: (any Node<Input, Output>)?
    let applies: @Sendable (NetworkError) -> Bool
    let recovery: Recovery

    var successors: [any Node] { [first] + (other.map { [$0] } ?? []) }

    func process(_ input: Input, context: RequestContext) async throws -> Output {
        let failure: NetworkError
        do {
            return try await first.process(input, context: context)
        } catch {
            guard let known = NetworkError.wrapping(error, node: first.id), applies(known) else { throw error }
            failure = known
        }
        context.record(.warning, id, "falls back: \(failure.code)")
        do {
            return try await recovery(input, failure, context)
        } catch var error as NetworkError {
            error.history.insert(failure, at: 0)
            throw error
        }
    }
}

extension Chain {
    /// A chain that falls back to another one when this one fails.
    ///
    /// - Parameters:
    ///   - applies: Which failures; all by default, never a cancellation.
    ///   - other: Gets the same input and the remaining time; its failure is that of the call, with this chain's
    ///     failure in its history.
    /// - Returns: A chain with the options of this one.
    public func recover(
        where applies: @escaping @Sendable (NetworkError) -> Bool = { _ in true },
        with other: Chain<Input, Output>
    ) -> Chain<Input, Output> {
        let next = other.head
        return recovering(applies, through: next) { input, _, context in
            try await next.process(input, context: context)
        }
    }

    /// A chain that falls back to a value when this one fails.
    ///
    /// - Parameters:
    ///   - applies: Which failures; all by default, never a cancellation.
    ///   - value: Makes the value, or throws the error of the call.
    /// - Returns: A chain with the options of this one.
    public func recover(
        where applies: @escaping @Sendable (NetworkError) -> Bool = { _ in true },
        _ value: @escaping @Sendable (NetworkError) async throws -> Output
    ) -> Chain<Input, Output> {
        recovering(applies, through: nil) { _, failure, _ in try await value(failure) }
    }

    private func recovering(
        _ applies: @escaping @Sendable (NetworkError) -> Bool,
        through other: (any Node<Input, Output>)?,
        _ recovery: @escaping FallbackNode<Input, Output>.Recovery
    ) -> Chain<Input, Output> {
        Chain(head: FallbackNode(first: head, other: other, applies: applies, recovery: recovery), options: options)
    }
}
