public import CoreNetKitEssentials

/// The parameters of a page, from the path and the query of a link.
///
/// Parameters with a type are in canonical form, regardless of the URL: `int` as `Int` prints it, `uuid` in upper case,
/// `bool` as `true` or `false`.
public struct DeepLinkParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The parameters as text.
    public var values: [String: String]

    /// Creates parameters.
    public init(_ values: [String: String] = [:]) { self.values = values }

    /// Creates parameters; `nil` values are omitted.
    public init(dictionaryLiteral elements: (String, String?)...) {
        values = Dictionary(elements.compactMap { name, text in text.map { (name, $0) } }) { _, last in last }
    }

    /// A parameter as text; `nil` if the link has no parameter of this name.
    public subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// A parameter as a whole number.
    public func int(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    /// A parameter as a Boolean.
    public func bool(_ name: String) -> Bool? { values[name].flatMap { Bool($0) } }

    /// A parameter as a UUID.
    public func uuid(_ name: String) -> UUID? { values[name].flatMap { UUID(uuidString: $0) } }
}

/// Why a pattern does not match an address; contains only names of the pattern, never values of the link.
public enum DeepLinkMismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path has a different number of segments.
    case length(expected: Int, found: Int)
    /// The segment at this index is different.
    case literal(String, at: Int)
    /// The parameter, as written in the pattern, does not fit its type.
    case type(String)
    /// The parameter occurs twice with different values.
    case conflict(String)
    /// The query lacks the parameter.
    case missing(String)
    /// The parameter is blank.
    case blank
    /// The page rejected the parameters.
    case refused
    /// The page does not open from this kind of source.
    case source(DeepLinkSourceKind)

    /// The reason on one line.
    public var description: String {
        switch self {
        case .length(let expected, let found): "has \(expected) segments, the link \(found)"
        case .literal(let literal, let index): "segment \(index + 1) is not \(literal.debugDescription)"
        case .type(let parameter): "the value does not fit :\(parameter)"
        case .conflict(let name): "the link has two values for :\(name)"
        case .missing(let name): "the query has no \(name)"
        case .blank: "an id is blank"
        case .refused: "the page rejected the parameters"
        case .source(let kind): "does not open from \(kind.rawValue)"
        }
    }
}
