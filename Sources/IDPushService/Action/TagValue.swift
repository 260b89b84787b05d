import CoreNetKit

/// The value of a tag or of a parameter; literals stand for themselves: `["level": 5, "vip": true, "old": nil]`.
public enum TagValue: Sendable, Hashable {
    /// Text; the empty text removes a tag.
    case string(String)
    /// A whole number.
    case int(Int)
    /// Any other number.
    case double(Double)
    /// True or false.
    case bool(Bool)
    /// Takes the tag away.
    case remove
}

extension TagValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a bool.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a removal.
    public init(nilLiteral: ()) { self = .remove }
}

extension [String: TagValue] {
    /// Creates tags or parameters from untyped values.
    ///
    /// - Parameter values: Texts, numbers and bools, or `nil` to remove a tag.
    /// - Throws: ``IDPushError/unsupportedValue(key:)`` with the first key, in order, whose value is something else.
    public init(any values: [String: Any]) throws(IDPushError) {
        self = [:]
        for key in values.keys.sorted() {
            guard let value = values[key], let converted = TagValue(any: value) else {
                throw .unsupportedValue(key: key)
            }
            self[key] = converted
        }
    }
}

extension TagValue {
    fileprivate init?(any value: Any) {
        switch value {
        case let value as TagValue: self = value
        default:
            switch try? ParameterValue(any: value) {
            case .string(let text): self = .string(text)
            case .bool(let bool): self = .bool(bool)
            case .null: self = .remove
            case .number(let text):
                if let whole = Int(text) {
                    self = .int(whole)
                } else if text.contains(where: { ".eE".contains($0) }), let number = Double(text) {
                    self = .double(number)
                } else {
                    return nil
                }
            default: return nil
            }
        }
    }

    /// The same value in the one form that compares equal after a restart, `nil` for a number that JSON does not have.
    var normalized: TagValue? {
        switch self {
        case .string(""): .remove
        case .double(let number) where !number.isFinite: nil
        case .double(let number): Int(exactly: number).map { .int($0) } ?? self
        default: self
        }
    }

    /// How a form carries the value.
    var formText: String {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let bool): bool ? "1" : "0"
        case .remove: ""
        }
    }

    /// How the JSON of the tags carries the value.
    var json: Json {
        switch self {
        case .string(let text): Json(text)
        case .int(let number): Json(number)
        case .double(let number): Json(floatLiteral: number)
        case .bool(let bool): Json(bool)
        case .remove: ""
        }
    }
}

extension TagValue: Codable {
    /// Reads a value from the JSON that it is stored as.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for arrays and objects.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .remove
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let whole = try? value.decode(Int.self) {
            self = .int(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .double(number)
        } else {
            self = .string(try value.decode(String.self))
        }
    }

    /// Writes the value as JSON.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` for numbers that JSON does not have.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .string(let text): try value.encode(text)
        case .int(let whole): try value.encode(whole)
        case .double(let number): try value.encode(number)
        case .bool(let bool): try value.encode(bool)
        case .remove: try value.encodeNil()
        }
    }
}
