package import CoreNetKitEssentials

/// A value that can be written into a query or a form.
///
/// Literals convert implicitly: `["max": 20, "tags": ["a", "b"], "until": nil]`.
package enum ParameterValue: Sendable, Hashable {
    /// No value; ``ParameterStrategies/NilEncoding`` decides how it is written.
    case null
    /// True or false; ``ParameterStrategies/BoolEncoding`` decides how it is written.
    case bool(Bool)
    /// A number as text, so that no digit is lost.
    case number(String)
    /// Text.
    case string(String)
    /// A point in time; ``ParameterStrategies/DateEncoding`` decides how it is written.
    case date(Date)
    /// Values in order; ``ParameterStrategies/ArrayEncoding`` decides how they are named.
    case array([ParameterValue])
    /// Values by name; ``ParameterStrategies/DictionaryEncoding`` decides how they are named.
    case object([String: ParameterValue])
}

extension ParameterValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral {
    /// Creates `null`.
    package init(nilLiteral: ()) { self = .null }

    /// Creates a bool.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension ParameterValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number.
    package init(integerLiteral value: Int) { self = .number(String(value)) }

    /// Creates a number.
    package init(floatLiteral value: Double) { self = .number(String(value)) }
}

extension ParameterValue: ExpressibleByStringInterpolation {
    /// Creates text.
    package init(stringLiteral value: String) { self = .string(value) }
}

extension ParameterValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    package init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }

    /// Creates an object; the last of two equal keys is used.
    package init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
