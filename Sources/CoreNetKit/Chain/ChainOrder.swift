/// Which policy stands outside of which, and what is wrong with a chain that nests them otherwise.
enum ChainOrder {
    /// From the outside in; the names are those of the nodes.
    static let names: [NodeID] = [
        "PaceNode", "CacheNode", "CoalescingNode", "BreakerNode", "LimitNode", "RetryNode", "TokenNode", "HedgeNode",
        "RateNode", "StatusNode", "RedirectNode", "TransportNode",
    ]

    /// Multiplied with themselves they send more than anybody asked for.
    private static let lonely: Set<NodeID> = ["RetryNode", "HedgeNode"]

    private static let ranks = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })

    /// What is wrong, one line each.
    static func problems(below head: any Node) -> [String] {
        problems(of: head, inside: nil)
    }

    private static func problems(of node: any Node, inside outer: (name: NodeID, rank: Int)?) -> [String] {
        let name = node.id
        guard let rank = ranks[name] else {
            return node.successors.flatMap { problems(of: $0, inside: outer) }
        }
        var found: [String] = []
        if let outer {
            if rank == outer.rank, lonely.contains(name) {
                found.append("\(name) stands inside of another \(name): their repetitions multiply")
            } else if rank < outer.rank {
                found.append("\(name) stands inside of \(outer.name): put it outside of it")
            }
        }
        return found + node.successors.flatMap { problems(of: $0, inside: (name, rank)) }
    }
}

extension Chain {
    /// What is wrong with the order of the nodes, one line each; such a chain fails every call with `invalidChain`.
    public var diagnostics: [String] { ChainOrder.problems(below: head) }
}
