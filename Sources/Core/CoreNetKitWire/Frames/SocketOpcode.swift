/// What a WebSocket frame carries (RFC 6455, 5.2).
package enum SocketOpcode: UInt8, Sendable, Hashable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    package var isControl: Bool { rawValue >= 8 }
}

/// An end of the connection.
package enum SocketRole: Sendable, Hashable {
    /// Masks what it sends.
    case client
    case server
}
