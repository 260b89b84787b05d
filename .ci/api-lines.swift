// One line for each symbol of the symbol graphs that are named as arguments: where it stands, and how it is declared.
import Foundation

struct Graph: Decodable {
    struct Fragment: Decodable { let spelling: String }
    struct Availability: Decodable { let isUnconditionallyDeprecated: Bool? }
    struct Identifier: Decodable { let precise: String }
    struct Symbol: Decodable {
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]?
        let availability: [Availability]?
    }
    let symbols: [Symbol]
}

var lines: Set<String> = []
for file in CommandLine.arguments.dropFirst() {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    for symbol in graph.symbols where !symbol.identifier.precise.contains("::SYNTHESIZED::") {
        let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let mark = (symbol.availability ?? []).contains { $0.isUnconditionallyDeprecated == true } ? "@deprecated " : ""
        lines.insert(symbol.pathComponents.joined(separator: ".") + " | " + mark + declaration)
    }
}
for line in lines.sorted() { print(line) }
