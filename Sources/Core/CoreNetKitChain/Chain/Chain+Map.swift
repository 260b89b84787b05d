extension Chain {
    /// A chain that converts the result of this one.
    ///
    /// - Parameter transform: Makes the value; an error that it throws is the error of the call.
    /// - Returns: A chain with the options of this one.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Output) async throws -> Other
    ) -> Chain<Input, Other> {
        Chain<Input, Other>(head: MappingNode(next: head, transform), options: options)
    }

    /// A chain whose calls fail with your own errors.
    ///
    /// Cancellation stays cancellation.
    /// - Parameter transform: Makes the error that the call fails with.
    /// - Returns: A chain with the options of this one.
    public func mapError(
        _ transform: @escaping @Sendable (NetworkError) async throws -> any Error
    ) -> Chain<Input, Output> {
        Chain(head: ErrorMappingNode(next: head, transform: transform), options: options)
    }
}

/// An error that a service has chosen itself: it leaves the chain unchanged.
package struct MappedError: Error {
    package let error: any Error

    /// Applies a transformation to an error; cancellation and errors that were transformed before stay unchanged.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - node: The node that threw it.
    ///   - transform: Makes the new error; if it throws, that error is used instead.
    /// - Returns: The error to throw.
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

/// Changes the error that a chain fails with.
struct ErrorMappingNode<Input: Sendable, Output: Sendable>: ChainStep {
    let next: any Node<Input, Output>
    let transform: @Sendable (NetworkError) async throws -> any Error

    func process(_ input: Input, context: RequestContext) async throws -> Output {
        do {
            return try await next.process(input, context: context)
        } catch {
            throw await MappedError.replacing(error, of: next.id, by: transform)
        }
    }
}
