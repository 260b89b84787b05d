/// Why a socket does not go on: the cause of the `NetworkError` that its reader and its senders get.
public struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Name: String {
            case handshakeRefused, cut, silent, closed, broken, messageTooLarge, notOpen, noReply, abandoned
        }

        private let name: Name

        /// The server's response begins no WebSocket, or selects what was not offered.
        public static let handshakeRefused = Code(name: .handshakeRefused)
        /// The connection ended without a close.
        public static let cut = Code(name: .cut)
        /// Nothing came within the time of the keep-alive, or nothing was taken of what was sent.
        public static let silent = Code(name: .silent)
        /// The other side closed with an error code.
        public static let closed = Code(name: .closed)
        /// The other side sent what is against the protocol.
        public static let broken = Code(name: .broken)
        /// A message is larger than ``SocketOptions/messageLimit``.
        public static let messageTooLarge = Code(name: .messageTooLarge)
        /// Nothing can be sent: the socket is closed.
        public static let notOpen = Code(name: .notOpen)
        /// A greeting was not over within its time.
        public static let noReply = Code(name: .noReply)
        /// A message was cancelled while it was being written: its connection ended with it.
        public static let abandoned = Code(name: .abandoned)

        /// The name.
        public var description: String { name.rawValue }
    }

    /// The class of failure.
    public var code: Code
    /// One line: what, and what to do; without contents.
    public var message: String
    /// How the connection ended, where it did.
    public var close: SocketClose?

    init(_ code: Code, _ message: String, close: SocketClose? = nil) {
        (self.code, self.message, self.close) = (code, message, close)
    }

    /// One line fit for a log.
    public var description: String { "\(code): \(message)" }
}
