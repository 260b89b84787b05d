#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How `Codable` entries become JSON and JSON becomes entries.
///
/// Encoded keys are always sorted, so that the same entry gives the same bytes.
public struct JsonCoding: Sendable, Hashable {
    /// How the names of properties stand in JSON.
    public enum Keys: Sendable, Hashable {
        /// As the type has them.
        case asWritten
        /// `firstName` as `first_name`; keys of dictionaries stay as they are.
        case snakeCase
    }

    /// How dates stand in JSON.
    public enum Dates: Sendable, Hashable {
        /// As `Date` encodes itself: seconds since 2001 as a number.
        case deferred
        /// ISO 8601 such as `2024-05-01T12:30:00Z`; fractions of a second are read, not written.
        case iso8601
        /// Seconds since 1970 as a number.
        case secondsSince1970
        /// Milliseconds since 1970 as a number.
        case millisecondsSince1970
    }

    /// How the names of properties stand in JSON.
    public var keys: Keys

    /// How dates stand in JSON.
    public var dates: Dates

    /// Chooses the options.
    ///
    /// - Parameters:
    ///   - keys: How the names of properties stand in JSON.
    ///   - dates: How dates stand in JSON.
    public init(keys: Keys = .asWritten, dates: Dates = .deferred) {
        self.keys = keys
        self.dates = dates
    }

    /// The options of the call that is being made; `from(raw:)` and `toRaw()` have no room for them.
    @TaskLocal package static var current = JsonCoding()

    // Encoders are Sendable and keep nothing between calls, and most calls need no other.
    private static let plainEncoder = JsonCoding().makeEncoder()

    func encode<Value: Encodable>(_ value: Value) throws -> Data {
        try (self == JsonCoding() ? Self.plainEncoder : makeEncoder()).encode(value)
    }

    private func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        encoder.dateEncodingStrategy =
            switch dates {
            case .deferred: .deferredToDate
            case .iso8601: .iso8601
            case .secondsSince1970: .secondsSince1970
            case .millisecondsSince1970: .millisecondsSince1970
            }
        return encoder
    }
}
