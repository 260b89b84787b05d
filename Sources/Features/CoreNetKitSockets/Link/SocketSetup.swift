import CoreNetKitChain

/// What all sockets of a chain share, stored once to keep an idle socket small.
final class SocketSetup: Sendable {
    let options: SocketOptions
    let parts: ChainParts
    let node: NodeID = "SocketNode"

    init(_ options: SocketOptions, _ parts: ChainParts) { (self.options, self.parts) = (options, parts) }
}
