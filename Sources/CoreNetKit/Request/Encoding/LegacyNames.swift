// Names of the ancestor and of before 0.2.0, kept so that existing services compile; each has a fix-it.

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
/// The name of ``ParameterStrategies/BoolEncoding`` before 0.2.0.
@available(*, deprecated, renamed: "ParameterStrategies.BoolEncoding")
public typealias BoolEncodingStrategy = ParameterStrategies.BoolEncoding
/// The name of ``ParameterStrategies/ArrayEncoding`` before 0.2.0.
@available(*, deprecated, renamed: "ParameterStrategies.ArrayEncoding")
public typealias ArrayEncodingStrategy = ParameterStrategies.ArrayEncoding
/// The name of ``ParameterStrategies/DictionaryEncoding`` before 0.2.0.
@available(*, deprecated, renamed: "ParameterStrategies.DictionaryEncoding")
public typealias DictionaryEncodingStrategy = ParameterStrategies.DictionaryEncoding
/// The name of ``ParameterStrategies/NilEncoding`` before 0.2.0.
@available(*, deprecated, renamed: "ParameterStrategies.NilEncoding")
public typealias NilEncodingStrategy = ParameterStrategies.NilEncoding
/// The name of ``ParameterStrategies/DateEncoding`` before 0.2.0.
@available(*, deprecated, renamed: "ParameterStrategies.DateEncoding")
public typealias DateEncodingStrategy = ParameterStrategies.DateEncoding
/// The name of ``MultipartModel/Part`` before 0.2.0.
@available(*, deprecated, renamed: "MultipartModel.Part")
public typealias MultipartPart = MultipartModel.Part
/// The name of ``RetryPolicy/Backoff`` before 0.2.0.
@available(*, deprecated, renamed: "RetryPolicy.Backoff")
public typealias Backoff = RetryPolicy.Backoff
/// The name of ``TokenRefresher/Origins`` before 0.2.0.
@available(*, deprecated, renamed: "TokenRefresher.Origins")
public typealias TokenOrigins = TokenRefresher.Origins
