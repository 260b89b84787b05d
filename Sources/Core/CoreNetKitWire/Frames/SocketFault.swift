/// What is wrong with data from a WebSocket's other side, and the close code for it.
///
/// - SeeAlso: [RFC 6455, 7.4.1](https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1)
package struct SocketFault: Error, Sendable, Hashable {
    package let code: UInt16
    package let message: String

    /// A violation of the protocol.
    package static func broken(_ message: String) -> SocketFault { SocketFault(code: 1002, message: message) }

    /// Text that is not UTF-8.
    package static let notText = SocketFault(code: 1007, message: "a text is not UTF-8")

    /// Compressed content that does not decompress.
    package static let damaged = SocketFault(code: 1007, message: "compressed content does not decompress")

    /// More than the limit.
    package static func tooLarge(_ limit: Int) -> SocketFault {
        SocketFault(code: 1009, message: "a message is larger than its limit of \(limit) bytes")
    }

    /// Compressed content that expands too much.
    package static func grows(_ ratio: Int) -> SocketFault {
        SocketFault(code: 1009, message: "a message grows to more than \(ratio) times its size when it is decompressed")
    }

    package static let noMemory = SocketFault(code: 1011, message: "there is no memory to decompress a message")
}
