/// A set of field names to look for, fast for any number of them.
package struct FieldNameSet: Sendable {
    /// Up to this many are compared one by one.
    static let few = 16

    private let names: [String]
    private let table: Set<Folded>

    package init(_ names: [String]) {
        self.names = names
        table = names.count > Self.few ? Set(names.lazy.map { Folded(name: $0) }) : []
    }

    /// Whether the name is one of them, regardless of case.
    package func contains(_ name: String) -> Bool {
        guard table.isEmpty else { return table.contains(Folded(name: name)) }
        return names.contains { Headers.matches($0, name) }
    }

    /// A name that is compared regardless of case.
    private struct Folded: Sendable, Hashable {
        let name: String

        static func == (left: Folded, right: Folded) -> Bool { Headers.matches(left.name, right.name) }

        func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(Headers.lowered(byte)) }
        }
    }
}
