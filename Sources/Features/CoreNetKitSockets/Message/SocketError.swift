import CoreNetKitChain
import CoreNetKitHTTP

/// Why a socket cannot continue: the cause of the `NetworkError` that its reader and its senders get.
public struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The server's response does not accept the WebSocket, or selects something that was not offered.
        public static let handshakeRefused = Code("handshakeRefused")
        /// The connection ended without a close.
        public static let cut = Code("cut")
        /// The peer sent nothing, or took nothing of what was sent, within the time of the keep-alive.
        public static let silent = Code("silent")
        /// The peer closed with an error code.
        public static let closed = Code("closed")
        /// The peer violated the protocol.
        public static let broken = Code("broken")
        /// A message is larger than ``SocketOptions/messageLimit``.
        public static let messageTooLarge = Code("messageTooLarge")
        /// Nothing can be sent: the socket is closed.
        public static let notOpen = Code("notOpen")
        /// A greeting did not finish in time.
        public static let noReply = Code("noReply")
        /// A message was cancelled while it was being written, which ended the connection.
        public static let abandoned = Code("abandoned")

        /// The name.
        public var description: String { name }
    }

    /// The class of failure.
    public var code: Code
    /// One line: the problem and its remedy, without contents.
    public var message: String
    /// How the connection ended, if it did.
    public var close: SocketClose?

    init(_ code: Code, _ message: String, close: SocketClose? = nil) {
        (self.code, self.message, self.close) = (code, message, close)
    }

    /// One line fit for a log.
    public var description: String { "\(code): \(message)" }
}

extension NetworkError {
    static func socket(_ error: SocketError, node: NodeID) -> NetworkError {
        let code: Code =
            switch error.code {
            case .handshakeRefused, .broken: .invalidResponse
            case .closed: .reportedByServer
            case .messageTooLarge: .responseTooLarge
            case .noReply: .timedOut
            default: .connectionLost
            }
        var failure = NetworkError(code, error.message, node: node, cause: error)
        if [.cut, .silent, .noReply].contains(error.code) {
            (failure.phase, failure.isRetryable) = (.receive, true)
        }
        if error.code == .abandoned { (failure.phase, failure.isRetryable) = (.send, true) }
        return failure
    }

    /// The same for a message of which no byte was sent.
    var unsent: NetworkError {
        var failure = self
        failure.isSafeToResend = true
        return failure
    }
}
