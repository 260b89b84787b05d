import CoreNetKitEssentials

/// A reply in RESP3.
enum RESPValue: Sendable, Hashable {
    case null
    /// A simple string, such as `OK`; also a double, a boolean or a big number, for which no command asks.
    case text(String)
    case bytes(Data)
    /// An error; its first word is the error code.
    case error(String)
    case integer(Int64)
    /// An array, or a set.
    case array([RESPValue])
    /// Keys and values, alternating.
    case map([RESPValue])
    /// A message without a request, such as an invalidation.
    case push([RESPValue])

    /// The text of a string, if it is valid UTF-8.
    var string: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// The value of an integer, or of a string of digits.
    var number: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes, .text: string.flatMap { Int64($0) }
        default: nil
        }
    }

    subscript(key: String) -> RESPValue? {
        guard case .map(let items) = self else { return nil }
        return stride(from: 0, to: items.count - 1, by: 2).first { items[$0].string == key }.map { items[$0 + 1] }
    }
}

/// A command in the wire format: an array of bulk strings.
struct RESPCommand: Sendable {
    private(set) var bytes: Data

    init(_ parts: [Part]) {
        bytes = Data(capacity: parts.reduce(16) { $0 + $1.count + 16 })
        line("*", parts.count)
        for part in parts {
            line("$", part.count)
            switch part {
            case .text(let text): bytes.append(contentsOf: text.utf8)
            case .bytes(let data): bytes.append(data)
            }
            end()
        }
    }

    private mutating func line(_ kind: Character, _ count: Int) {
        bytes.append(contentsOf: "\(kind)\(count)".utf8)
        end()
    }

    private mutating func end() {
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    enum Part: Sendable, ExpressibleByStringInterpolation {
        case text(String)
        case bytes(Data)

        init(stringLiteral value: String) { self = .text(value) }

        var count: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .bytes(let data): data.count
            }
        }
    }
}

/// The reply is not valid RESP3 or exceeds a limit.
enum RESPError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownKind(UInt8)
    case badLine, badNumber, badLength, badEnd, badValue, misplacedPush, tooDeep, tooMany, tooLarge

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

struct RESPLimits: Sendable {
    var depth = 8
    var bytes = 64 << 20
    var elements = 1_000_000
    /// The longest line, without its end; simple strings, errors and numbers are lines.
    var line = 64 << 10

    static let standard = RESPLimits()
}
