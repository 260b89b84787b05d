import CoreNetKitEssentials

/// A reply of a server that speaks RESP3.
enum RESPValue: Sendable, Hashable {
    case null
    /// A word or a line of the server's own, as `OK`.
    case text(String)
    case bytes(Data)
    /// The server's no; the first word is its class.
    case error(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// Digits, with a sign where it is negative.
    case bigNumber(String)
    case array([RESPValue])
    case set([RESPValue])
    /// Keys and values in turn.
    case map([RESPValue])
    /// What nobody has asked for, as that a key has changed.
    case push([RESPValue])

    /// What it says, where it is a text or bytes that are one.
    var string: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// A number that came as one, or as its digits.
    var number: Int64? {
        switch self {
        case .integer(let number): number
        case .bytes, .text: string.flatMap { Int64($0) }
        default: nil
        }
    }

    /// The value behind a key of a map.
    subscript(key: String) -> RESPValue? {
        guard case .map(let items) = self else { return nil }
        return stride(from: 0, to: items.count - 1, by: 2).first { items[$0].string == key }.map { items[$0 + 1] }
    }
}
