import CoreNetKitChain
import CoreNetKitWire

/// How a WebSocket ended: its code, the reason, and which side closed it.
public struct SocketClose: Sendable, Hashable, CustomStringConvertible {
    /// The code, from the peer's close frame if there was one (RFC 6455, 7.1.5).
    public var code: Code
    /// The text that accompanies the code: for people, not for logs.
    public var reason: String
    /// Whether the peer closed; `false` after a close by this side that the peer only answered.
    public var isFromPeer: Bool

    /// Creates an end, for tests.
    public init(_ code: Code, _ reason: String = "", isFromPeer: Bool = false) {
        (self.code, self.reason, self.isFromPeer) = (code, reason, isFromPeer)
    }

    /// A close code (RFC 6455, 7.4): an open set; 4000...4999 are for applications.
    public struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
        /// The number.
        public let rawValue: UInt16

        /// Names a code by its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Names a code by its number.
        public init(integerLiteral value: UInt16) { rawValue = value }

        /// 1000: the purpose of the connection is fulfilled.
        public static let normal: Code = 1000
        /// 1001: the server shuts down, or the user leaves the page.
        public static let goingAway: Code = 1001
        /// 1002: frames that violate the protocol.
        public static let protocolError: Code = 1002
        /// 1003: an unsupported kind of message.
        public static let unsupportedData: Code = 1003
        /// 1005: a close without a code; never on the wire.
        public static let noStatus: Code = 1005
        /// 1006: the connection ended without a close; never on the wire.
        public static let abnormal: Code = 1006
        /// 1007: content that does not match its type, such as text that is not UTF-8.
        public static let invalidContent: Code = 1007
        /// 1008: a message that violates the peer's policy.
        public static let policyViolation: Code = 1008
        /// 1009: a message over the limit.
        public static let messageTooLarge: Code = 1009
        /// 1010: the server did not agree to a required extension.
        public static let missingExtension: Code = 1010
        /// 1011: the server met an unexpected condition.
        public static let internalError: Code = 1011
        /// 1012: the server restarts.
        public static let serviceRestart: Code = 1012
        /// 1013: the server is overloaded.
        public static let tryAgainLater: Code = 1013
        /// 1014: a gateway received an invalid response from its server.
        public static let badGateway: Code = 1014

        /// The number.
        public var description: String { "\(rawValue)" }
    }

    /// Throws `invalidRequest` for a code that no frame may carry.
    func requireSendable(at node: NodeID) throws(NetworkError) {
        if SocketCloseRules.isForWire(code.rawValue) { return }
        let words = "cannot be sent with a close: use 1000, 3000...4999, or another one of the registry"
        throw NetworkError(.invalidRequest, "the code \(code) \(words)", node: node)
    }

    /// The code and which side sent it; the reason is omitted, because it may contain private data.
    public var description: String { "close \(code) by \(isFromPeer ? "the other side" : "this side")" }
}
