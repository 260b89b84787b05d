/// A node that may have a position.
package protocol PositionedNode: Node {
    /// Its position; `nil` if it may be anywhere.
    var position: ChainPosition? { get }
}

/// A node of a built-in policy: identified by its position, wherever it is placed.
package protocol PolicyNode: ChainStep, PositionedNode {
    /// Its position.
    static var position: ChainPosition { get }
}

extension PolicyNode {
    package var position: ChainPosition? { Self.position }
}

/// Finds policies that are nested in another order than ``ChainPosition/all``.
enum ChainOrder {
    /// Positions whose nodes multiply attempts when nested.
    private static let singlePositions: Set<ChainPosition> = [.retry, .hedge]

    /// The problems, one line each.
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
            if position == outer.position, singlePositions.contains(position) {
                found.append("\(name) is inside another \(name): their repetitions multiply")
            } else if position < outer.position {
                found.append("\(name) is inside \(outer.name): put it outside")
            }
        }
        return found + node.successors.flatMap { problems(of: $0, inside: (name, position)) }
    }
}
