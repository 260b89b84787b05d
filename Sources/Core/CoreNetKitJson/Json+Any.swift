import CoreNetKitEssentials

extension Json {
    /// Converts any value to JSON: dictionaries and arrays of anything, optionals, and whatever is `Encodable`.
    ///
    /// ```swift
    /// let body = try Json(["owner": owner, "limit": 20, "since": date])
    /// ```
    ///
    /// - Parameter value: Usually a `[String: Any]`; its members are sorted by name.
    /// - Throws: ``JsonError`` with the path, such as `filter.owner: cannot be written as JSON: SomeClass`.
    public init(_ value: Any) throws(JsonError) {
        self = try Self.convert(value, depth: 0)
    }

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

private protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrapped: Any? { self }
}
