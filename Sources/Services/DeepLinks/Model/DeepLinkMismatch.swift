/// Why a pattern does not match an address; shows names of the pattern only, never what the link has.
public enum DeepLinkMismatch: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path has another number of segments.
    case length(expected: Int, found: Int)
    /// The segment at this place is another one.
    case literal(String, at: Int)
    /// The parameter, as the pattern has it, does not have its type.
    case type(String)
    /// The parameter occurs twice, with different values.
    case conflict(String)
    /// The query lacks the parameter.
    case missing(String)
    /// The parameter is blank.
    case blank
    /// The page rejected the parameters.
    case refused
    /// The page does not open from there.
    case origin(DeepLinkOrigin)

    /// The reason in one line.
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
