// Names of the ancestor's query strategies, kept with their spelling so that existing services compile.

/// The ancestor's name of ``BoolEncodingStrategy``.
public typealias URLQueryBoolEncodingStartegy = BoolEncodingStrategy
/// The ancestor's name of ``BoolEncodingStrategy``.
public typealias URLQueryBoolEncodingDefaultStartegy = BoolEncodingStrategy
/// The ancestor's name of ``ArrayEncodingStrategy``.
public typealias URLQueryArrayKeyEncodingStartegy = ArrayEncodingStrategy
/// The ancestor's name of ``ArrayEncodingStrategy``.
public typealias URLQueryArrayKeyEncodingBracketsStartegy = ArrayEncodingStrategy
/// The ancestor's name of ``DictionaryEncodingStrategy``.
public typealias URLQueryDictionaryKeyEncodingStrategy = DictionaryEncodingStrategy
/// The ancestor's name of ``DictionaryEncodingStrategy``.
public typealias URLQueryDictionaryKeyEncodingDefaultStrategy = DictionaryEncodingStrategy
