import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitJson

extension NetworkError {
    /// The error of content that cannot be read further.
    static func stream(_ error: StreamError, node: NodeID, response: FailedResponse?) -> NetworkError {
        let code: Code =
            switch error.code {
            case .cut: .connectionLost
            case .lineTooLong, .eventTooLarge, .elementTooLarge, .tooManyPages: .responseTooLarge
            case .foreignOrigin: .redirectRefused
            default: .decodingFailed
            }
        var failure = NetworkError(code, "\(error)", node: node, response: response, cause: error)
        if error.code == .cut { failure.phase = .receive }
        return failure
    }

    /// The error of a piece that does not match its model.
    static func piece(
        _ error: any Error,
        as type: Any.Type,
        place: String,
        node: NodeID,
        response: FailedResponse?
    ) -> NetworkError {
        if let error = error as? NetworkError { return error }
        let failure = DecodingFailure(error, type: type)
        return NetworkError(.decodingFailed, "\(place): \(failure)", node: node, response: response, cause: error)
    }
}
