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
