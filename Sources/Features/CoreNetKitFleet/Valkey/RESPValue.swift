import CoreNetKitEssentials

/// A reply in RESP3.
enum RESPValue: Sendable, Hashable {
    case null
    /// A simple string, such as `OK`.
    case text(String)
    case bytes(Data)
    /// An error; its first word is the error code.
    case error(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// Digits, with a sign if negative.
    case bigNumber(String)
    case array([RESPValue])
    case set([RESPValue])
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

    /// The value for a key of a map.
    subscript(key: String) -> RESPValue? {
        guard case .map(let items) = self else { return nil }
        return stride(from: 0, to: items.count - 1, by: 2).first { items[$0].string == key }.map { items[$0 + 1] }
    }
}
