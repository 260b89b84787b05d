import CoreNetKitChain

/// How one connection of a socket ended.
struct LinkEnd: Sendable {
    /// The codes, where there was a close; ``SocketClose/Code/abnormal`` where there was none.
    let close: SocketClose
    /// What went wrong; `nil` for a close of either side.
    var failure: NetworkError?
    /// Whether this side asked for it.
    var isWanted = false
}
