public import CoreNetKitChain
import CoreNetKitHTTP
public import CoreNetKitJson

private enum JsonCodingKey: Attributes.Key {
    typealias Value = JsonCoding
}

extension NetworkError {
    /// The same error, whose body is decoded with the options of its chain.
    func decodingBody(with coding: JsonCoding) -> NetworkError {
        var error = self
        error.response?.attributes[JsonCodingKey.self] = coding
        return error
    }

    /// Decodes the body of the rejected response, a server's own error model.
    ///
    /// - Parameters:
    ///   - type: The model of the server's errors, ``Json`` included.
    ///   - coding: How its keys and dates are encoded; `nil` for the coding of the chain, ``RequestHolder/set(coding:)``.
    /// - Returns: The decoded model.
    /// - Throws: ``NetworkError`` with code `decodingFailed`; `emptyBody` if there is no body to decode.
    public func decodeBody<Model: Decodable>(as type: Model.Type, coding: JsonCoding? = nil) throws -> Model {
        guard let body = response?.body, !body.isEmpty else {
            throw NetworkError(.emptyBody, "the error has no body to decode as \(type)", node: node, cause: self)
        }
        do {
            let coding = coding ?? response?.attributes[JsonCodingKey.self] ?? JsonCoding()
            return try Json(undecoded: body).with(coding).model(type)
        } catch {
            let failure = DecodingFailure(error, type: type, body: Json(undecoded: body))
            let message = response.map { "\(failure); the response: \($0)" } ?? "\(failure)"
            throw NetworkError(.decodingFailed, message, node: node, response: response, cause: error)
        }
    }
}

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
