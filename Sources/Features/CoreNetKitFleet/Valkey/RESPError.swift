/// The reply is not valid RESP3 or exceeds a limit.
enum RESPError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The first byte is not a RESP3 type; the server probably speaks another protocol.
    case unknownKind(UInt8)
    /// A line does not end in CR LF, or is too long.
    case badLine
    case badNumber
    case badLength
    /// A string is not followed by CR LF.
    case badEnd
    /// A boolean, a null or a verbatim string is malformed.
    case badValue
    /// A push is inside another value.
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

/// The limits for one reply.
struct RESPLimits: Sendable {
    var depth = 8
    var bytes = 64 << 20
    var elements = 1_000_000
    /// The longest line, without its end; simple strings, errors and numbers are lines.
    var line = 64 << 10

    static let standard = RESPLimits()
}
