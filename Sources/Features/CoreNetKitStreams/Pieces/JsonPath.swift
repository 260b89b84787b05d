/// The path from the top of a JSON text to one array in it, as names of members.
public struct JsonPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The names, from the outermost object inwards; none for an array that is the whole text.
    public let names: [String]

    /// Creates a path of names that may contain any character.
    ///
    /// - Parameter names: The names, from the outermost object inwards; none for an array that is the whole text.
    public init(_ names: [String]) {
        self.names = names
    }

    /// Creates a path of names without dots.
    ///
    /// - Parameter value: The names, separated by dots, such as `data.items`; empty for an array that is the whole text.
    public init(stringLiteral value: String) {
        self.init(value.split(separator: ".", omittingEmptySubsequences: true).map(String.init))
    }

    /// The names, separated by dots.
    public var description: String { names.isEmpty ? "the top" : names.joined(separator: ".") }
}
