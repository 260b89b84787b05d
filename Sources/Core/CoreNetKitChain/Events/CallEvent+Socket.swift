public import CoreNetKitEssentials
import CoreNetKitHTTP

extension CallEvent {
    /// A message of a WebSocket, in the order of sending or receiving.
    public struct SocketMessage: Sendable {
        /// Whether this side sent it.
        public internal(set) var isSent: Bool
        /// Whether it is text.
        public internal(set) var isText: Bool
        /// The number of bytes of the whole message, decompressed.
        public internal(set) var size: Int
        /// The content of a text that is JSON, without secrets once it is in a record; other messages keep only their size.
        public internal(set) var content: Data?
        /// Whether ``content`` is only the beginning.
        public internal(set) var isCut: Bool

        init(_ content: Data, isText: Bool, isSent: Bool) {
            (self.isSent, self.isText, size) = (isSent, isText, content.count)
            self.content = isText ? content.start(CallEvent.contentLimit) : nil
            isCut = isText && content.count > CallEvent.contentLimit
        }
    }

    /// The traffic of a WebSocket connection, and how it ended.
    public struct SocketEnd: Sendable, Hashable {
        /// Received messages.
        public package(set) var messagesReceived = 0
        /// Messages that the operating system accepted.
        public package(set) var messagesSent = 0
        /// Bytes received after the handshake.
        public package(set) var bytesReceived: Int64 = 0
        /// Bytes sent after the handshake.
        public package(set) var bytesSent: Int64 = 0
        /// The round-trip time of the latest ping.
        public package(set) var latestPing: Duration?
        /// The close code; 1006 if there was none.
        ///
        /// - SeeAlso: [RFC 6455, 7.4](https://www.rfc-editor.org/rfc/rfc6455#section-7.4)
        public package(set) var closeCode: UInt16 = 1006
        /// Whether the other side closed first; `false` if it only replied to a close of this side.
        public package(set) var isClosedByPeer = false
        /// The number of reconnect attempts before this connection; 0 for the first one.
        public package(set) var reconnects = 0

        package init() {}
    }
}

extension CallEvent.SocketEnd: CustomStringConvertible {
    /// How it ended and its traffic, on one line.
    public var description: String {
        let who = closeCode == 1006 ? "without a close" : isClosedByPeer ? "by the other side" : "by this side"
        var parts = [
            "close \(closeCode) \(who)", "\(messagesReceived) messages in (\(bytesReceived) bytes)",
            "\(messagesSent) out (\(bytesSent) bytes)",
        ]
        if let latestPing { parts.append("latest ping \(latestPing.milliseconds)") }
        if reconnects > 0 { parts.append("reconnect \(reconnects)") }
        return parts.joined(separator: ", ")
    }
}
