import CoreNetKitChain

/// Turns every status outside 200...299 into an error; a client has it unless ``PolicyHolder/without(_:)`` removes it.
struct StatusPolicy: ChainPolicy {
    var positions: [ChainPosition] { [StatusNode.position] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        StatusNode(next: next)
    }
}
