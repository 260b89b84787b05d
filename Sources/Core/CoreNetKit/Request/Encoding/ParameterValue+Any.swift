import CoreNetKitEssentials
import CoreNetKitJson

extension ParameterValue {
    /// Creates a value from a value of a `[String: Any]`.
    ///
    /// Text, bools, numbers of every kind, dates, `UUID`, `URL`, `Decimal`, ``Json``, raw values of enums, optionals of these,
    /// and arrays and string-keyed dictionaries of these, nested at most 128 deep.
    /// Other values are not written by their `description`, which would put `Optional(5)` on the wire.
    package init(any value: Any) throws(RequestEncodingError) { try self.init(value, depth: 0) }

    private init(_ value: Any, depth: Int) throws(RequestEncodingError) {
        guard depth <= 128 else { throw RequestEncodingError("nested more than 128 deep") }
        // The usual types, without the cost of a dynamic cast.
        let type = type(of: value)
        if type == String.self, let text = value as? String {
            self = .string(text)
        } else if type == Int.self, let integer = value as? Int {
            self = .number(String(integer))
        } else if type == Bool.self, let bool = value as? Bool {
            self = .bool(bool)
        } else if type == [String: Any].self || type == [Any].self || type == [String].self {
            try self.init(container: value, depth: depth)
        } else if type is AnyObject.Type {
            try self.init(object: value, depth: depth)
        } else if let optional = value as? any AnyOptional {
            if let wrapped = optional.wrapped { try self.init(wrapped, depth: depth + 1) } else { self = .null }
        } else if let scalar = try ParameterValue.scalar(value) {
            self = scalar
        } else {
            try self.init(container: value, depth: depth)
        }
    }

    private static func scalar(_ value: Any) throws(RequestEncodingError) -> ParameterValue? {
        switch value {
        case let value as ParameterValue: value
        case let json as Json: try .init(json: json)
        case let integer as any BinaryInteger: .number(integer.description)
        case let number as any BinaryFloatingPoint: try .init(number: "\(number)", isFinite: number.isFinite)
        case let text as any StringProtocol: .string(String(text))
        case let character as Character: .string(String(character))
        case let date as Date: try .init(finite: date)
        case let id as UUID: .string(id.uuidString)
        case let url as URL: .string(url.absoluteString)
        case let decimal as Decimal: try .init(number: decimal.description, isFinite: decimal.isFinite)
        default: nil
        }
    }

    private init(container value: Any, depth: Int) throws(RequestEncodingError) {
        switch value {
        case let array as [Any]:
            var values: [ParameterValue] = []
            values.reserveCapacity(array.count)
            for (index, element) in array.enumerated() {
                do { values.append(try ParameterValue(element, depth: depth + 1)) } catch { throw error.under(index) }
            }
            self = .array(values)
        case let dictionary as [String: Any]:
            var values: [String: ParameterValue] = [:]
            values.reserveCapacity(dictionary.count)
            // The error of the smallest key, so that the same dictionary always throws the same error.
            var failure: (key: String, error: RequestEncodingError)?
            for (key, element) in dictionary {
                do {
                    values[key] = try ParameterValue(element, depth: depth + 1)
                } catch  where failure.map({ key < $0.key }) ?? true {
                    failure = (key, error)
                } catch {}
            }
            if let failure { throw failure.error.under(failure.key) }
            self = .object(values)
        case let hashable as AnyHashable where type(of: value) == AnyHashable.self:
            try self.init(hashable.base, depth: depth + 1)
        case let enumeration as any RawRepresentable:
            try self.init(enumeration.rawValue, depth: depth + 1)
        default:
            throw .unsupported(value)
        }
    }

    /// Objective-C's classes, and Foundation's counterparts on Linux, where this target does not link Foundation.
    ///
    /// They are identified by name, because a cast takes the number 1 for `true`.
    private init(object value: Any, depth: Int) throws(RequestEncodingError) {
        switch String(describing: type(of: value)) {
        case "NSNull":
            self = .null
            return
        case "__NSCFBoolean":
            self = .bool(value as? Bool ?? false)
            return
        default: break
        }
        if let integer = value as? Int64 {
            self = .number(String(integer))
        } else if let integer = value as? UInt64 {
            self = .number(String(integer))
        } else if let number = value as? Double {
            try self.init(number: "\(number)", isFinite: number.isFinite)
        } else if let text = value as? String {
            self = .string(text)
        } else if let date = value as? Date {
            try self.init(finite: date)
        } else if let url = value as? URL {
            self = .string(url.absoluteString)
        } else if let id = value as? UUID {
            self = .string(id.uuidString)
        } else {
            try self.init(container: value, depth: depth)
        }
    }

    private init(number text: String, isFinite: Bool) throws(RequestEncodingError) {
        guard isFinite else { throw RequestEncodingError("a number that is not finite cannot be written") }
        self = .number(text)
    }

    private init(finite date: Date) throws(RequestEncodingError) {
        guard date.timeIntervalSince1970.isFinite else {
            throw RequestEncodingError("a date that is not finite cannot be written")
        }
        self = .date(date)
    }
}

extension RequestEncodingError {
    fileprivate static func unsupported(_ value: Any) -> RequestEncodingError {
        .init(
            "\(type(of: value)) is not a query or form value; "
                + "give text, a number, a bool, a date, or arrays and string-keyed dictionaries of these"
        )
    }
}
