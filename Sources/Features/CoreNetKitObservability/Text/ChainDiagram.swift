public import CoreNetKitChain

extension Chain {
    /// The nodes of the chain as a Mermaid flowchart, which forges and editors render.
    public var mermaid: String {
        var diagram = ChainDiagram()
        diagram.add(head)
        return diagram.text
    }
}

/// Draws a chain from the successors of its nodes.
struct ChainDiagram {
    private var lines = ["flowchart TD"]
    private var count = 0

    var text: String { lines.joined(separator: "\n") }

    /// Adds a node and all successors; returns its name in the diagram.
    @discardableResult
    mutating func add(_ node: any Node) -> String {
        count += 1
        let name = "n\(count)"
        lines.append("    \(name)[\"\(Self.escaped("\(node.id)"))\"]")
        let successors = node.successors
        for (index, successor) in successors.enumerated() {
            let below = add(successor)
            // The first successor is the main path, the others are alternatives.
            lines.append("    \(name) \(index == 0 ? "-->" : "-.->") \(below)")
        }
        return name
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\"": "#quot;"
            case "<": "#lt;"
            case ">": "#gt;"
            default: String(character)
            }
        }
        .joined()
    }
}
