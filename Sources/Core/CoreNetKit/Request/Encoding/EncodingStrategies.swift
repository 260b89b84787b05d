extension ParameterStrategies {
    /// How a bool is written into a query or a form.
    public enum BoolEncoding: Sendable, Hashable {
        /// `1` and `0`.
        case asInt
        /// `true` and `false`.
        case asBool
    }

    /// How the elements of an array are named in a query or a form.
    public enum ArrayEncoding: Sendable, Hashable {
        /// `k[]=a&k[]=b`.
        case brackets
        /// `k=a&k=b`.
        case noBrackets
        /// `k[0]=a&k[1]=b`.
        case indexed
    }

    /// How an empty array is written into a query or a form.
    public enum EmptyArrayEncoding: Sendable, Hashable {
        /// Not at all.
        case omit
        /// `k[]=`, or `k=` if names of elements have an index or no brackets.
        case empty
    }

    /// How the values of a nested dictionary are named in a query or a form.
    public enum DictionaryEncoding: Sendable, Hashable {
        /// `k[sub]=v`.
        case brackets
        /// `k.sub=v`.
        case dots
    }

    /// How `nil` is written into a query or a form.
    public enum NilEncoding: Sendable, Hashable {
        /// Not at all.
        case omit
        /// `k=`.
        case empty
        /// `k=null`.
        case null
    }

    /// How a date is written into a query or a form.
    public enum DateEncoding: Sendable, Hashable {
        /// `2026-01-31T12:30:00Z`: UTC, whole seconds, years 1 to 9999.
        case iso8601
        /// `2026-01-31T12:30:00.250Z`: the same to the millisecond.
        case iso8601WithMilliseconds
        /// Seconds since 1970, with a fraction if there is one.
        case secondsSince1970
        /// Whole milliseconds since 1970.
        case millisecondsSince1970
    }

    /// How a space is written in a form; in a query it is always `%20`.
    public enum SpaceEncoding: Sendable, Hashable {
        /// `+`, and everything else as in the WHATWG URL standard for forms.
        case asPlus
        /// `%20`, and everything else as in a query (RFC 3986, 2.3), for servers that do not decode `+`.
        case asPercent20
    }
}

// Names of the ancestor, kept so that existing services compile; each has a fix-it.

/// The ancestor's name of ``ParameterStrategies/BoolEncoding``.
@available(*, deprecated, renamed: "ParameterStrategies.BoolEncoding")
public typealias URLQueryBoolEncodingStartegy = ParameterStrategies.BoolEncoding
/// The ancestor's name of ``ParameterStrategies/BoolEncoding``.
@available(*, deprecated, renamed: "ParameterStrategies.BoolEncoding")
public typealias URLQueryBoolEncodingDefaultStartegy = ParameterStrategies.BoolEncoding
/// The ancestor's name of ``ParameterStrategies/ArrayEncoding``.
@available(*, deprecated, renamed: "ParameterStrategies.ArrayEncoding")
public typealias URLQueryArrayKeyEncodingStartegy = ParameterStrategies.ArrayEncoding
/// The ancestor's name of ``ParameterStrategies/ArrayEncoding``.
@available(*, deprecated, renamed: "ParameterStrategies.ArrayEncoding")
public typealias URLQueryArrayKeyEncodingBracketsStartegy = ParameterStrategies.ArrayEncoding
/// The ancestor's name of ``ParameterStrategies/DictionaryEncoding``.
@available(*, deprecated, renamed: "ParameterStrategies.DictionaryEncoding")
public typealias URLQueryDictionaryKeyEncodingStrategy = ParameterStrategies.DictionaryEncoding
/// The ancestor's name of ``ParameterStrategies/DictionaryEncoding``.
@available(*, deprecated, renamed: "ParameterStrategies.DictionaryEncoding")
public typealias URLQueryDictionaryKeyEncodingDefaultStrategy = ParameterStrategies.DictionaryEncoding
