public import CoreNetKit
public import CoreNetKitEssentials
import CoreNetKitSystem
import PushRegistration

/// The value of a tag or of a parameter; literals convert implicitly: `["level": 5, "vip": true, "old": nil]`.
public enum TagValue: Sendable, Hashable {
    /// Text; the empty text removes a tag.
    case string(String)
    /// A whole number.
    case int(Int)
    /// Any other number.
    case double(Double)
    /// True or false.
    case bool(Bool)
    /// Any other JSON: lists and objects, which not every server accepts.
    case json(Json)
    /// Removes the tag.
    case remove
}

extension TagValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
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
    /// Creates a list.
    public init(arrayLiteral elements: TagValue...) { self = .json(Json(elements.map(\.json))) }
    /// Creates an object; the last of several members with one name counts.
    public init(dictionaryLiteral elements: (String, TagValue)...) {
        self = .json(Json(Dictionary(elements.map { ($0, $1.json) }) { $1 } as [String: Json]))
    }
}

extension [String: TagValue] {
    /// Creates tags or parameters from JSON values, or `nil` to remove a tag; throws ``IDPushError`` with code
    /// `unsupportedValue` for the first key, in order, with any other value.
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
            default:
                guard value is [Any] || value is [String: Any], let json = try? Json(value) else { return nil }
                self = .json(json)
            }
        }
    }

    /// The value in canonical form, which compares equal after a restart; `nil` for a number that JSON cannot express.
    var normalized: TagValue? {
        switch self {
        case .string(""): .remove
        case .double(let number) where !number.isFinite: nil
        case .double(let number): Int(exactly: number).map { .int($0) } ?? self
        default: self
        }
    }

    package var formText: String {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let bool): bool ? "1" : "0"
        case .json(let json): (try? json.text(sortedKeys: true)) ?? ""
        case .remove: ""
        }
    }

    var json: Json {
        switch self {
        case .string(let text): Json(text)
        case .int(let number): Json(number)
        case .double(let number): Json(floatLiteral: number)
        case .bool(let bool): Json(bool)
        case .json(let json): json
        case .remove: ""
        }
    }

    var stored: Json { self == .remove ? .null : json }

    init(stored json: Json) {
        self =
            json.isNull
            ? .remove
            : json.string.map(TagValue.string) ?? json.bool.map(TagValue.bool) ?? json.int.map(TagValue.int)
                ?? json.double.map(TagValue.double) ?? .json(json)
    }
}

/// A device token of Apple's push service, as lower-case hex; any length, as Apple requires.
public struct PushToken: Sendable, Hashable {
    /// The reason why a text is not a device token.
    public enum Problem: String, Sendable, Hashable {
        /// It is the description of a `Data`: `{length = 32, bytes = 0x…}` or `32 bytes`.
        case debugDescription
        /// It contains characters that are not hex digits.
        case notHex
        /// A digit is missing.
        case oddLength
    }

    /// The digits.
    public let hex: String

    /// Creates a token from the bytes that the app delegate receives; throws ``IDPushError`` with code
    /// `missingDeviceToken` if there are none.
    public init(_ data: Data) throws(IDPushError) {
        guard !data.isEmpty else { throw .missingDeviceToken }
        hex = Hex.encode(data)
    }

    /// Creates a token from hex digits, of which spaces and the angle brackets of old `description`s are removed;
    /// throws ``IDPushError`` with code `missingDeviceToken` or `invalidDeviceToken`.
    public init(hex text: String) throws(IDPushError) {
        let digits = text.unicodeScalars.filter { !$0.isBlank && $0 != "<" && $0 != ">" }
        guard !digits.isEmpty else { throw .missingDeviceToken }
        guard !text.contains("{"), !text.hasSuffix("bytes") else { throw .invalidDeviceToken(.debugDescription) }
        let token = String(String.UnicodeScalarView(digits)).lowercased()
        guard token.isHex else { throw .invalidDeviceToken(.notHex) }
        guard token.utf8.count.isMultiple(of: 2) else { throw .invalidDeviceToken(.oddLength) }
        hex = token
    }
}

extension PushToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first digits: enough to distinguish tokens, too few to send to a device.
    public var description: String { hex.redactedToken }
    /// The first digits.
    public var debugDescription: String { description }
    /// Only the first digits.
    public var customMirror: Mirror { Mirror(self, children: ["hex": description]) }
}
