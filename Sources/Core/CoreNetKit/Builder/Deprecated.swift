// Verbs of before 0.3, each with what to write.

extension RequestHolder {
    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.bool = … }'")
    public func set(boolEncodingStrategy strategy: ParameterStrategies.BoolEncoding) -> Self {
        parameters { $0.bool = strategy }
    }

    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.emptyArray = … }'")
    public func set(emptyArrayEncodingStrategy strategy: ParameterStrategies.EmptyArrayEncoding) -> Self {
        parameters { $0.emptyArray = strategy }
    }

    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.dictionary = … }'")
    public func set(dictEncodingStrategy strategy: ParameterStrategies.DictionaryEncoding) -> Self {
        parameters { $0.dictionary = strategy }
    }

    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.dictionary = … }'")
    public func set(dictEncodindStrategy strategy: ParameterStrategies.DictionaryEncoding) -> Self {
        parameters { $0.dictionary = strategy }
    }

    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.date = … }'")
    public func set(dateEncodingStrategy strategy: ParameterStrategies.DateEncoding) -> Self {
        parameters { $0.date = strategy }
    }

    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.null = … }'")
    public func set(nilEncodingStrategy strategy: ParameterStrategies.NilEncoding) -> Self {
        parameters { $0.null = strategy }
    }

    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.space = … }'")
    public func set(spaceEncodingStrategy strategy: ParameterStrategies.SpaceEncoding) -> Self {
        parameters { $0.space = strategy }
    }
}
