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

    /// Decodes the body of the rejected response, a server's own error model, ``Json`` included.
    ///
    /// Without `coding` it is decoded by that of the chain, ``RequestHolder/set(coding:)``.
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

    /// The body as a server's own error model, if it is one.
    package func model<Problem: Decodable>(as type: Problem.Type, coding: JsonCoding?) -> Problem? {
        // Any object would do, because all members of problem details are optional.
        if type == ProblemDetails.self { return problemDetails as? Problem }
        return try? decodeBody(as: type, coding: coding)
    }
}

extension PolicyHolder {
    /// Calls fail with the server's own error model if a rejected response has one, whatever the chain ends in.
    ///
    /// Policies and records get the ``NetworkError``, and callers the model: by `await`, in an observer, from pages and
    /// from a stream of events, also where a later connection is refused or an event reports such an error
    /// (`failing(on:as:)`). Errors without such a body are unchanged, and cancellation stays cancellation. `mapError`
    /// and `mapFailure` of a chain get the ``NetworkError``, and this model applies if they leave it. Two places only
    /// know the ``NetworkError``: the closure that refreshes a token, because it decides what follows, and a socket
    /// that was open. The model replaces the one set before, and `Never.self` removes it.
    ///
    /// ```swift
    /// struct APIError: Error, Decodable { let message: String }
    ///
    /// let client = Client().mapFailure(as: APIError.self)
    /// ```
    public func mapFailure<Problem: Error & Decodable>(as type: Problem.Type, coding: JsonCoding? = nil) -> Self {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// Calls fail with an error made from the server's own error model, see ``PolicyHolder/mapFailure(as:coding:)``.
    ///
    /// The closure gets the original error as well, which it may return.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil,
        _ transform: @escaping @Sendable (Problem, NetworkError) -> any Error
    ) -> Self {
        changed {
            $0.options.errorModel = { error in
                // An event of a stream, or a call inside this one, has reported the model.
                let known = error.cause as? Problem
                guard let problem = known ?? error.model(as: Problem.self, coding: coding) else { return error }
                return transform(problem, error)
            }
        }
    }

    /// Calls fail with an error made from a response that is not JSON, see ``PolicyHolder/mapFailure(as:coding:)``.
    ///
    /// The closure gets each response that was refused or could not be read; with `nil`, or if it throws, the error
    /// stays a ``NetworkError``. It replaces the error model set before.
    public func mapFailure(_ transform: @escaping @Sendable (FailedResponse) throws -> (any Error)?) -> Self {
        changed {
            $0.options.errorModel = { error in error.response.flatMap { try? transform($0) } ?? error }
        }
    }
}

extension Chain {
    /// A chain whose calls fail with the server's own error model if a rejected response has one.
    ///
    /// Errors without such a body are unchanged, and cancellation stays cancellation. The status does not matter; if it
    /// should, decide in the transform of the other overload.
    public func mapFailure<Problem: Error & Decodable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil
    ) -> Chain<Input, Output> {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// A chain whose calls fail with an error made from the server's own error model.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil,
        _ transform: @escaping @Sendable (Problem, NetworkError) async throws -> any Error
    ) -> Chain<Input, Output> {
        mapError { error in
            guard let problem = error.model(as: Problem.self, coding: coding) else { return error }
            return try await transform(problem, error)
        }
    }
}

extension Observer {
    /// Replaces each error whose response has a body of the server's own error model by that model.
    ///
    /// Errors without such a body are unchanged. The status does not matter; if it should, decide in the transform of
    /// the other overload.
    public func mapFailure<Problem: Error & Decodable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil
    ) -> Observer<Model> {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// Replaces each error whose response has a body of the server's own error model; others are unchanged.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil,
        @_inheritActorContext _ transform: @escaping @isolated(any) @Sendable (Problem, NetworkError) -> any Error
    ) -> Observer<Model> {
        mapError { error in
            guard let error = error as? NetworkError,
                let problem = error.model(as: Problem.self, coding: coding)
            else { return error }
            return await transform(problem, error)
        }
    }
}
