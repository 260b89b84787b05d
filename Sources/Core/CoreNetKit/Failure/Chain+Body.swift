public import CoreNetKitChain
public import CoreNetKitJson

extension Chain {
    /// A chain whose calls fail with the server's own error model if a rejected response has one.
    ///
    /// Errors without such a body are unchanged, and cancellation stays cancellation.
    /// The status does not matter; if it should, decide in the transform of the other overload.
    ///
    /// - Parameters:
    ///   - type: The server's error model.
    ///   - coding: How its keys and dates are encoded; `nil` for the coding of the chain.
    /// - Returns: A chain with the options of this one.
    public func mapFailure<Problem: Error & Decodable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil
    ) -> Chain<Input, Output> {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// A chain whose calls fail with an error made from the server's own error model.
    ///
    /// - Parameters:
    ///   - type: The model of the server's errors.
    ///   - coding: How its keys and dates are encoded; `nil` for the coding of the chain.
    ///   - transform: Makes the new error from the model and the original error.
    /// - Returns: A chain with the options of this one.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil,
        _ transform: @escaping @Sendable (Problem, NetworkError) async throws -> any Error
    ) -> Chain<Input, Output> {
        mapError { error in
            guard let problem = try? error.decodeBody(as: Problem.self, coding: coding) else { return error }
            return try await transform(problem, error)
        }
    }
}
