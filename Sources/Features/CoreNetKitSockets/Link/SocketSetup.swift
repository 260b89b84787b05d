import CoreNetKitChain

/// What is the same for all sockets of a chain, once for all of them: an idle one is to be small.
final class SocketSetup: Sendable {
    let options: SocketOptions
    let parts: ChainParts
    let node: NodeID = "SocketNode"

    init(_ options: SocketOptions, _ parts: ChainParts) { (self.options, self.parts) = (options, parts) }
}
