public import CoreNetKitChain

extension Chain {
    /// The nodes of the chain as a Mermaid flowchart, which forges and editors render.
    public var mermaid: String {
        var lines = ["flowchart TD"]
        var count = 0
        func add(_ node: any Node) -> String {
            count += 1
            let name = "n\(count)"
            let escapedID = node.id.rawValue.escaped(["\"": "#quot;", "<": "#lt;", ">": "#gt;"])
            lines.append("    \(name)[\"\(escapedID)\"]")
            for (index, successor) in node.successors.enumerated() {
                let below = add(successor)
                // The first successor is the main path, the others are alternatives.
                lines.append("    \(name) \(index == 0 ? "-->" : "-.->") \(below)")
            }
            return name
        }
        _ = add(head)
        return lines.joined(separator: "\n")
    }
}
