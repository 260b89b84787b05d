import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitJson

extension NetworkError {
    /// The error of content that does not match its model; keeps the response of the content, `nil` if the chain is not
    /// HTTP.
    static func decoding(
        _ error: any Error,
        as type: Any.Type,
        of response: TransportResponse? = nil,
        by node: NodeID
    ) -> any Error {
        switch error {
        case is CancellationError: return error
        case var error as NetworkError:
            guard let response else { return error }
            error.response = error.response ?? FailedResponse(response)
            return error.of(attempt: response.attempt)
        default:
            let refused = response.map { FailedResponse($0) }
            let failure = DecodingFailure(error, type: type, body: refused.map { Json(undecoded: $0.body) })
            let isEmpty = (error as? JsonError)?.code == .empty
            let made = NetworkError(
                isEmpty ? .emptyBody : .decodingFailed,
                refused.map { "\(failure) (\($0.contentSummary))" } ?? "\(failure)",
                node: node,
                response: refused,
                cause: error
            )
            return made.of(attempt: response?.attempt ?? 1)
        }
    }
}
