import CoreNetKitHTTP
import CoreNetKitJson

private enum CodingKey: Attributes.Key {
    typealias Value = JsonCoding
}

extension NetworkError {
    /// The same error, whose body is decoded with the options of its chain.
    func read(by coding: JsonCoding) -> NetworkError {
        var error = self
        error.response?.attributes[CodingKey.self] = coding
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
            let coding = coding ?? response?.attributes[CodingKey.self] ?? JsonCoding()
            return try Json(undecoded: body).with(coding).model(type)
        } catch {
            let failure = DecodingFailure(error, type: type, body: Json(undecoded: body))
            let whole = response.map { "\(failure); the response: \($0)" } ?? "\(failure)"
            throw NetworkError(.decodingFailed, whole, node: node, response: response, cause: error)
        }
    }
}
