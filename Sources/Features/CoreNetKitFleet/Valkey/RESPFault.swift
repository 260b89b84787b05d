/// What came is no RESP3, or more of it than anybody wants.
enum RESPFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A first byte that begins nothing; a server of another kind says hello like this.
    case unknownKind(UInt8)
    /// A line that does not end as lines do, or is too long.
    case badLine
    case badNumber
    case badLength
    /// Bytes whose length is over, and no end of a line behind them.
    case badEnd
    /// A boolean, a null or a double that is none.
    case badValue
    /// A push inside something else.
    case misplacedPush
    case tooDeep
    case tooMany
    case tooLarge

    var description: String {
        switch self {
        case .unknownKind(let byte): "a reply begins with the byte \(byte), which is not a type in RESP3"
        case .badLine: "a line of a reply does not end in CR LF, or is too long"
        case .badNumber: "a reply has an invalid number"
        case .badLength: "a reply has an invalid length"
        case .badEnd: "a bulk of a reply does not end where its length says"
        case .badValue: "a value of a reply does not match its type"
        case .misplacedPush: "a push is inside a reply"
        case .tooDeep: "a reply is nested more than \(RESPLimits.standard.depth) times"
        case .tooMany: "a reply has more than \(RESPLimits.standard.elements) elements"
        case .tooLarge: "a reply is larger than \(RESPLimits.standard.bytes) bytes"
        }
    }
}

/// How much of a reply is taken.
struct RESPLimits: Sendable {
    var depth = 8
    var bytes = 64 << 20
    var elements = 1_000_000
    /// The longest line, without its end: words, errors and numbers stand in lines.
    var line = 64 << 10

    static let standard = RESPLimits()
}
