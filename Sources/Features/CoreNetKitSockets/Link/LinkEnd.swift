import CoreNetKitChain

/// How one connection of a socket ended.
///
/// A class, because an error is large, and most sockets have none for most of their life.
final class LinkEnd: Sendable {
    /// The close of either side; ``SocketClose/Code/abnormal`` if there was none.
    let close: SocketClose
    /// The failure; `nil` for a close by either side.
    let failure: NetworkError?
    /// Whether this side requested the end.
    let isWanted: Bool

    init(close: SocketClose, failure: NetworkError? = nil, isWanted: Bool = false) {
        (self.close, self.failure, self.isWanted) = (close, failure, isWanted)
    }
}
