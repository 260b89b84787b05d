extension Chain {
    /// A chain that converts the result of this one; an error that `transform` throws is the error of the call.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Output) async throws -> Other
    ) -> Chain<Input, Other> {
        let next = head
        let node = AnyNode<Input, Other>("MappingNode", successors: [next]) { input, context in
            try await transform(try await next.process(input, context: context))
        }
        return Chain<Input, Other>(head: node, options: options)
    }

    /// A chain whose calls fail with your own errors; cancellation stays cancellation.
    public func mapError(
        _ transform: @escaping @Sendable (NetworkError) async throws -> any Error
    ) -> Chain<Input, Output> {
        let next = head
        let node = AnyNode<Input, Output>("ErrorMappingNode", successors: [next]) { input, context in
            do {
                return try await next.process(input, context: context)
            } catch {
                throw await MappedError.replacing(error, of: next.id, by: transform)
            }
        }
        return Chain(head: node, options: options)
    }
}

/// An error that a service has chosen itself: it leaves the chain unchanged.
package struct MappedError: Error {
    package let error: any Error

    /// Applies a transformation to an error; cancellation and errors that were transformed before stay unchanged.
    package static func replacing(
        _ error: any Error,
        of node: NodeID,
        by transform: @Sendable (NetworkError) async throws -> any Error
    ) async -> any Error {
        guard !(error is MappedError), let failure = NetworkError.wrapping(error, node: node) else { return error }
        do {
            return MappedError(error: try await transform(failure))
        } catch {
            return error is MappedError ? error : MappedError(error: error)
        }
    }
}

extension Chain {
    /// A chain that falls back to another one when this one fails: on all failures by default, never on a cancellation.
    ///
    /// `other` gets the same input and the remaining time; its failure is that of the call, with this chain's in its
    /// history.
    public func recover(
        where applies: @escaping @Sendable (NetworkError) -> Bool = { _ in true },
        with other: Chain<Input, Output>
    ) -> Chain<Input, Output> {
        let next = other.head
        return recovering(applies, through: next) { input, _, context in
            try await next.process(input, context: context)
        }
    }

    /// A chain that falls back to a value when this one fails: on all failures by default, never on a cancellation.
    ///
    /// An error that `value` throws is the error of the call.
    public func recover(
        where applies: @escaping @Sendable (NetworkError) -> Bool = { _ in true },
        _ value: @escaping @Sendable (NetworkError) async throws -> Output
    ) -> Chain<Input, Output> {
        recovering(applies, through: nil) { _, failure, _ in try await value(failure) }
    }

    /// A chain that runs `recovery` with the same input when this one fails; the deadline is not renewed.
    private func recovering(
        _ applies: @escaping @Sendable (NetworkError) -> Bool,
        through other: (any Node<Input, Output>)?,
        _ recovery: @escaping @Sendable (Input, NetworkError, RequestContext) async throws -> Output
    ) -> Chain<Input, Output> {
        let (first, id) = (head, "FallbackNode" as NodeID)
        let node = AnyNode<Input, Output>(id, successors: [first] + (other.map { [$0] } ?? [])) { input, context in
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
        return Chain(head: node, options: options)
    }
}
