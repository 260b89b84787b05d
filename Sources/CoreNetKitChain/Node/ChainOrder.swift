/// A node that may know where it belongs.
package protocol PositionedNode: Node {
    /// Where it belongs, `nil` where that does not matter.
    var position: ChainPosition? { get }
}

/// A node of a policy of the framework's: known by its position, wherever it stands.
package protocol PolicyNode: ChainStep, PositionedNode {
    /// Where it belongs.
    static var position: ChainPosition { get }
}

extension PolicyNode {
    package var position: ChainPosition? { Self.position }
}

/// What is wrong with a chain that nests policies otherwise than ``ChainPosition/all``.
enum ChainOrder {
    /// Multiplied with themselves they send more than anybody asked for.
    private static let lonely: Set<ChainPosition> = [.retry, .hedge]

    /// What is wrong, one line each.
    static func problems(below head: any Node) -> [String] { problems(of: head, inside: nil) }

    private static func problems(
        of node: any Node,
        inside outer: (name: NodeID, position: ChainPosition)?
    ) -> [String] {
        guard let position = (node as? any PositionedNode)?.position else {
            return node.successors.flatMap { problems(of: $0, inside: outer) }
        }
        let name = node.id
        var found: [String] = []
        if let outer {
            if position == outer.position, lonely.contains(position) {
                found.append("\(name) stands inside of another \(name): their repetitions multiply")
            } else if position < outer.position {
                found.append("\(name) stands inside of \(outer.name): put it outside of it")
            }
        }
        return found + node.successors.flatMap { problems(of: $0, inside: (name, position)) }
    }
}
