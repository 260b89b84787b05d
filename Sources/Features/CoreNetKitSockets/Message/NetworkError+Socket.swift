import CoreNetKitChain
import CoreNetKitHTTP

extension NetworkError {
    /// The error of a socket that cannot continue.
    static func socket(_ error: SocketError, node: NodeID, isSafeToResend: Bool = false) -> NetworkError {
        let code: Code =
            switch error.code {
            case .handshakeRefused, .broken: .invalidResponse
            case .closed: .reportedByServer
            case .messageTooLarge: .responseTooLarge
            case .noReply: .timedOut
            default: .connectionLost
            }
        var failure = NetworkError(code, error.message, node: node, cause: error)
        failure.isSafeToResend = isSafeToResend
        if [.cut, .silent, .noReply].contains(error.code) {
            (failure.phase, failure.isRetryable) = (.receive, true)
        }
        if error.code == .abandoned { (failure.phase, failure.isRetryable) = (.send, true) }
        return failure
    }
}
