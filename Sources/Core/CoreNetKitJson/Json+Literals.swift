import CoreNetKitEssentials

extension Json: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Makes a Boolean.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// Makes a number.
    public init(integerLiteral value: Int64) { self.init(.integer(value)) }

    /// Makes a number with the shortest text that gives the same `Double`; `null` if it is not finite.
    public init(floatLiteral value: Double) { self.init(value.isFinite ? .number(value.description) : .null) }

    /// Makes a string.
    public init(stringLiteral value: String) { self.init(value) }

    /// Makes an array.
    public init(arrayLiteral elements: Json...) { self.init(elements) }

    /// Makes an object with the members in their order.
    public init(dictionaryLiteral elements: (String, Json)...) {
        self.init(.object(JsonObject(elements.map { (key: $0.0, value: $0.1) })))
    }

    /// Makes a Boolean.
    public init(_ value: Bool) { self.init(.bool(value)) }

    /// Makes a number.
    public init(_ value: some BinaryInteger) {
        self.init(Int64(exactly: value).map(Storage.integer) ?? .number(String(value)))
    }

    /// Makes a string.
    public init(_ value: String) { self.init(.string(value)) }

    /// Makes an array.
    public init(_ elements: [Json]) { self.init(.array(elements)) }

    /// Makes an object with sorted names.
    public init(_ members: [String: Json]) {
        self.init(.object(JsonObject(members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })))
    }

    /// Makes a number from its text in RFC 8259 syntax, such as `1e400`, which is kept unchanged; other text gives `nil`.
    public init?(number: String) {
        guard let first = number.utf8.first, first == UInt8(ascii: "-") || 0x30...0x39 ~= first,
            let last = number.utf8.last, 0x30...0x39 ~= last, let value = try? Json(parsing: number)
        else { return nil }
        self = value
    }
}

extension Json {
    /// Converts any value to JSON: dictionaries and arrays of anything, optionals, and whatever is `Encodable`.
    ///
    /// ```swift
    /// let body = try Json(["owner": owner, "limit": 20, "since": date])
    /// ```
    ///
    /// - Parameter value: Usually a `[String: Any]`; its members are sorted by name.
    /// - Throws: ``JsonError`` with the path, such as `filter.owner: cannot be written as JSON: SomeClass`.
    public init(_ value: Any) throws(JsonError) { self = try Self.convert(value, depth: 0) }

    private static func convert(_ value: Any, depth: Int) throws(JsonError) -> Json {
        guard depth <= depthLimit else { throw JsonError(.tooDeep, "nested deeper than \(depthLimit) levels") }
        if let value = value as? any AnyOptional {
            guard let wrapped = value.wrapped else { return .null }
            return try convert(wrapped, depth: depth)
        }
        if let scalar = try scalar(value) { return scalar }
        if let members = value as? [String: Any] {
            var json: [String: Json] = [:]
            for (key, member) in members {
                json[key] = try under(key) { () throws(JsonError) in try convert(member, depth: depth + 1) }
            }
            return Json(json)
        }
        if let elements = value as? [Any] {
            var json: [Json] = []
            for (index, element) in elements.enumerated() {
                json.append(try under("[\(index)]") { () throws(JsonError) in try convert(element, depth: depth + 1) })
            }
            return Json(json)
        }
        guard let value = value as? any Encodable else { throw unsupported(value) }
        do { return try Json(encoding: value, as: JsonCoding()).parsed() } catch {
            throw JsonError(.unsupported, "cannot be written as JSON: \(type(of: value)) (\(error))")
        }
    }

    private static func scalar(_ value: Any) throws(JsonError) -> Json? {
        #if canImport(ObjectiveC)
            // A number object converts to every scalar type; only its Objective-C type distinguishes Booleans from numbers.
            if let number = value as? NSNumber, type(of: value) is AnyClass {
                if CFGetTypeID(number) == CFBooleanGetTypeID() { return Json(number.boolValue) }
                return Json(number: number.stringValue)
            }
        #endif
        switch value {
        case let value as Json: return try value.parsed()
        case let value as String: return Json(value)
        case let value as Bool: return Json(value)
        case let value as any BinaryInteger: return Json(value)
        case let value as any BinaryFloatingPoint:
            guard let number = Json(number: "\(value)") else {
                throw JsonError(.unsupported, "cannot be written as JSON: \(value)")
            }
            return number
        case let value as Decimal:
            guard let number = Json(number: value.description) else { throw unsupported(value) }
            return number
        default: return nil
        }
    }

    private static func unsupported(_ value: Any) -> JsonError {
        JsonError(.unsupported, "cannot be written as JSON: \(type(of: value))")
    }

    private static func under(_ step: String, _ body: () throws(JsonError) -> Json) throws(JsonError) -> Json {
        do throws(JsonError) { return try body() } catch {
            var error = error
            let separator = error.path.isEmpty || error.path.hasPrefix("[") ? "" : "."
            error.path = step + separator + error.path
            throw error
        }
    }
}

package protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    package var wrapped: Any? { self }
}
