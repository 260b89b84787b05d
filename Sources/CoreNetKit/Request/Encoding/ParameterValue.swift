public import CoreNetKitEssentials

/// A value that can be written into a query or a form.
///
/// Literals stand for themselves: `["max": 20, "tags": ["a", "b"], "until": nil]`.
public enum ParameterValue: Sendable, Hashable {
    /// No value; ``ParameterStrategies/NilEncoding`` says how it is written.
    case null
    /// True or false; ``ParameterStrategies/BoolEncoding`` says how it is written.
    case bool(Bool)
    /// A number as text, so that no digit is lost.
    case number(String)
    /// Text.
    case string(String)
    /// A point in time; ``ParameterStrategies/DateEncoding`` says how it is written.
    case date(Date)
    /// Values in order; ``ParameterStrategies/ArrayEncoding`` says how they are named.
    case array([ParameterValue])
    /// Values by name; ``ParameterStrategies/DictionaryEncoding`` says how they are named.
    case object([String: ParameterValue])
}

extension ParameterValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral {
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates a bool.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension ParameterValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number.
    public init(integerLiteral value: Int) { self = .number(String(value)) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(String(value)) }
}

extension ParameterValue: ExpressibleByStringInterpolation {
    /// Creates text.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension ParameterValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }

    /// Creates an object; the last of two equal keys counts.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
