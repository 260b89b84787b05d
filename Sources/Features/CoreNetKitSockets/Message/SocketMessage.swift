public import CoreNetKitEssentials

/// One message of a WebSocket.
public enum SocketMessage: Sendable, Hashable {
    /// Text, which is UTF-8 on the wire.
    case text(String)
    /// Bytes.
    case data(Data)

    /// The bytes of either kind.
    public var bytes: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        }
    }

    /// Whether it is text.
    var isText: Bool { if case .text = self { true } else { false } }
}
