import CoreNetKitChain

/// How one connection of a socket ended.
///
/// By reference: an error is large, and most sockets have none for most of their life.
final class LinkEnd: Sendable {
    /// The codes, where there was a close; ``SocketClose/Code/abnormal`` where there was none.
    let close: SocketClose
    /// What went wrong; `nil` for a close of either side.
    let failure: NetworkError?
    /// Whether this side asked for it.
    let isWanted: Bool

    init(close: SocketClose, failure: NetworkError? = nil, isWanted: Bool = false) {
        (self.close, self.failure, self.isWanted) = (close, failure, isWanted)
    }
}
