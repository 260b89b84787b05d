public import CoreNetKitEssentials

extension JsonCoding {
    /// How property names are represented in JSON; dictionary keys stay as they are.
    public struct Keys: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case asWritten, snakeCase
            case custom(ByIdentity<(encode: @Sendable (String) -> String, decode: @Sendable (String) -> String)>)
        }

        let form: Form

        /// As in the type.
        public static var asWritten: Keys { Keys(form: .asWritten) }

        /// `firstName` as `first_name`.
        public static var snakeCase: Keys { Keys(form: .snakeCase) }

        /// By your own functions, from a property to its name in JSON and back; equal only to its copies.
        public static func custom(
            encode: @escaping @Sendable (_ property: String) -> String,
            decode: @escaping @Sendable (_ name: String) -> String
        ) -> Keys { Keys(form: .custom(ByIdentity((encode, decode)))) }
    }

    /// How dates are represented in JSON.
    public struct Dates: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case deferred, iso8601, iso8601WithMilliseconds, secondsSince1970, millisecondsSince1970
            case custom(CustomCoding<Date>)
        }

        let form: Form

        /// As `Date` encodes itself: seconds since 2001 as a number.
        public static var deferred: Dates { Dates(form: .deferred) }

        /// ISO 8601 such as `2024-05-01T12:30:00Z`; fractions of a second are read, but not written.
        public static var iso8601: Dates { Dates(form: .iso8601) }

        /// ISO 8601 to the millisecond, such as `2024-05-01T12:30:00.250Z`; whole seconds are read too.
        public static var iso8601WithMilliseconds: Dates { Dates(form: .iso8601WithMilliseconds) }

        /// Seconds since 1970 as a number.
        public static var secondsSince1970: Dates { Dates(form: .secondsSince1970) }

        /// Milliseconds since 1970 as a number.
        public static var millisecondsSince1970: Dates { Dates(form: .millisecondsSince1970) }

        /// By your own functions; equal only to its copies.
        public static func custom(
            encode: @escaping @Sendable (Date, any Encoder) throws -> Void,
            decode: @escaping @Sendable (any Decoder) throws -> Date
        ) -> Dates { Dates(form: .custom(ByIdentity((encode, decode)))) }
    }

    /// How bytes are represented in JSON.
    public struct Bytes: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case base64, deferred
            case custom(CustomCoding<Data>)
        }

        let form: Form

        /// As a Base64 string.
        public static var base64: Bytes { Bytes(form: .base64) }

        /// As `Data` encodes itself: an array of numbers.
        public static var deferred: Bytes { Bytes(form: .deferred) }

        /// By your own functions; equal only to its copies.
        public static func custom(
            encode: @escaping @Sendable (Data, any Encoder) throws -> Void,
            decode: @escaping @Sendable (any Decoder) throws -> Data
        ) -> Bytes { Bytes(form: .custom(ByIdentity((encode, decode)))) }

        /// Encodes bytes, except as a Base64 string, for which it returns `false`.
        package func encodesItself(_ data: Data, to encoder: any Encoder) throws -> Bool {
            switch form {
            case .base64: return false
            case .deferred: try data.encode(to: encoder)
            case .custom(let custom): try custom.value.encode(data, encoder)
            }
            return true
        }
    }

    /// How infinite numbers and NaN, for which JSON has no form, are represented in it.
    public struct NonFinite: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case error
            case strings(infinity: String, negativeInfinity: String, nan: String)
        }

        let form: Form

        /// Not at all: encoding one is an error.
        public static var error: NonFinite { NonFinite(form: .error) }

        /// As strings, which are then also decoded as such numbers.
        public static func strings(
            infinity: String = "Infinity",
            negativeInfinity: String = "-Infinity",
            nan: String = "NaN"
        ) -> NonFinite {
            NonFinite(form: .strings(infinity: infinity, negativeInfinity: negativeInfinity, nan: nan))
        }

        /// The string for a number that is not finite, if there is one.
        package func text(of number: Double) -> String? {
            guard case .strings(let infinity, let negative, let nan) = form else { return nil }
            return number.isNaN ? nan : number < 0 ? negative : infinity
        }
    }
}

typealias CustomCoding<Value> = ByIdentity<
    (encode: @Sendable (Value, any Encoder) throws -> Void, decode: @Sendable (any Decoder) throws -> Value)
>

extension JsonCoding.Keys {
    package func encoded(_ name: String) -> String {
        switch form {
        case .asWritten: name
        case .snakeCase: name.snakeCase
        case .custom(let custom): custom.value.encode(name)
        }
    }

    func decoded(_ name: String) -> String {
        switch form {
        case .asWritten: name
        case .snakeCase: name.camelCase
        case .custom(let custom): custom.value.decode(name)
        }
    }
}

extension String {
    /// `first_name` as `firstName`, as `JSONDecoder` does it: underscores at the ends stay, and a name without others
    /// is unchanged.
    var camelCase: String {
        guard let first = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else {
            return self
        }
        let words = self[first...last].split(separator: "_")
        guard words.count > 1 else { return self }
        let name = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return self[..<first] + name + self[index(after: last)...]
    }

    /// `firstName` as `first_name`, as `JSONEncoder` does it: a word begins at each capital, but in a row of capitals
    /// only at the first, and at the one before a lower-case letter.
    var snakeCase: String {
        guard var start = indices.first else { return self }
        var words: [Substring] = []
        var rest = index(after: start)
        while let capital = self[rest...].firstIndex(where: \.isUppercase) {
            words.append(self[start..<capital])
            start = capital
            guard let small = self[capital...].firstIndex(where: \.isLowercase) else { break }
            let last = index(before: small)
            if last > capital {
                words.append(self[capital..<last])
                start = last
            }
            rest = index(after: small)
        }
        words.append(self[start...])
        return words.map { $0.lowercased() }.joined(separator: "_")
    }
}
