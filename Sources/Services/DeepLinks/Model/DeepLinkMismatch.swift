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
    /// The page does not open from this origin.
    case origin(DeepLinkOrigin)

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
        case .origin(let origin): "does not open from \(origin.rawValue)"
        }
    }
}
