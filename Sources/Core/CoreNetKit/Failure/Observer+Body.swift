public import CoreNetKitChain
public import CoreNetKitJson

extension Observer {
    /// Replaces each error whose response has a body of the server's own error model by that model.
    ///
    /// Errors without such a body are unchanged.
    /// The status does not matter; if it should, decide in the transform of the other overload.
    ///
    /// - Parameters:
    ///   - type: The server's error model.
    ///   - coding: How its keys and dates are encoded; `nil` for the coding of the chain.
    /// - Returns: An observer of the same model.
    public func mapFailure<Problem: Error & Decodable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil
    ) -> Observer<Model> {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// Replaces each error whose response has a body of the server's own error model.
    ///
    /// Errors without such a body are unchanged.
    /// The status does not matter; if it should, decide in the transform of the other overload.
    ///
    /// - Parameters:
    ///   - type: The server's error model.
    ///   - coding: How its keys and dates are encoded; `nil` for the coding of the chain.
    ///   - transform: Makes the new error from the model and the original error, on its own actor or on the delivery queue.
    /// - Returns: An observer of the same model.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil,
        @_inheritActorContext _ transform: @escaping @isolated(any) @Sendable (Problem, NetworkError) -> any Error
    ) -> Observer<Model> {
        mapError { error in
            guard let error = error as? NetworkError,
                let problem = try? error.decodeBody(as: Problem.self, coding: coding)
            else { return error }
            return await transform(problem, error)
        }
    }
}
