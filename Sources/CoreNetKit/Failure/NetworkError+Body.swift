import CoreNetKitJson

extension NetworkError {
    /// Decodes the body of the rejected response, a server's own error model.
    ///
    /// - Parameters:
    ///   - type: The model of the server's errors, ``Json`` included.
    ///   - coding: How its keys and dates are encoded; an error does not know the options of its chain.
    /// - Returns: The decoded model.
    /// - Throws: ``NetworkError`` with code `decodingFailed`; `emptyBody` if there is no body to decode.
    public func decodeBody<Model: Decodable>(as type: Model.Type, coding: JsonCoding = .init()) throws -> Model {
        guard let body = response?.body, !body.isEmpty else {
            throw NetworkError(.emptyBody, "the error has no body to decode as \(type)", node: node, cause: self)
        }
        do {
            return try Json(undecoded: body).with(coding).model(type)
        } catch {
            let failure = DecodingFailure(error, type: type, body: Json(undecoded: body))
            throw NetworkError(.decodingFailed, "\(failure)", node: node, response: response, cause: error)
        }
    }
}
