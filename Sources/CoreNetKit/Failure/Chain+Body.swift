public import CoreNetKitChain
public import CoreNetKitJson

extension Chain {
    /// A chain whose calls fail with the server's own error model where a refused response has one.
    ///
    /// Errors without such a body stay what they are, and cancellation stays cancellation.
    ///
    /// - Parameters:
    ///   - type: The server's error model.
    ///   - coding: How keys and dates stand in it.
    /// - Returns: A chain with the options of this one.
    public func mapFailure<Problem: Error & Decodable>(
        as type: Problem.Type,
        coding: JsonCoding = .init()
    ) -> Chain<Input, Output> {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// A chain whose calls fail with an error that is made of the server's own error model.
    ///
    /// - Parameters:
    ///   - type: The model of the server's errors.
    ///   - coding: How keys and dates stand in it.
    ///   - transform: Makes the new error of the model and of the error that had it.
    /// - Returns: A chain with the options of this one.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding = .init(),
        _ transform: @escaping @Sendable (Problem, NetworkError) async throws -> any Error
    ) -> Chain<Input, Output> {
        mapError { error in
            guard let problem = try? error.decodeBody(as: Problem.self, coding: coding) else { return error }
            return try await transform(problem, error)
        }
    }
}
