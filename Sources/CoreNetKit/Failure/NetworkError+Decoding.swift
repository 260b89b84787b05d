import CoreNetKitHTTP

extension NetworkError {
    /// The error of content that is not what its model needs; keeps the response that the content came in.
    ///
    /// - Parameters:
    ///   - error: What reading it threw.
    ///   - type: What was to be read.
    ///   - source: What it was to be read from.
    ///   - node: Who read it.
    /// - Returns: The error of the call.
    static func decoding(_ error: any Error, as type: Any.Type, from source: Any, node: NodeID) -> any Error {
        let response = (source as? any ResponseCarrier)?.response ?? source as? TransportResponse
        let type = (type as? any ResponseCarrier.Type)?.modelType ?? type
        switch error {
        case is CancellationError: return error
        case var error as NetworkError:
            guard let response else { return error }
            error.response = error.response ?? FailedResponse(response)
            error.attempt = max(error.attempt, response.attempt)
            return error
        default:
            let refused = response.map { FailedResponse($0) }
            let failure = DecodingFailure(error, type: type, body: refused.map { Json(undecoded: $0.body) })
            let isEmpty = (error as? JsonError)?.code == .empty
            var made = NetworkError(
                isEmpty ? .emptyBody : .decodingFailed,
                "\(failure)",
                stage: node,
                response: refused,
                cause: error
            )
            made.attempt = response?.attempt ?? 1
            return made
        }
    }
}
