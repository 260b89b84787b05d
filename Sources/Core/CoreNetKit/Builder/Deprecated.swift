public import CoreNetKitEssentials

// Verbs of 0.2, each with what to write.

extension RequestHolder {
    /// A former verb of ``parameters(_:)``.
    @available(*, deprecated, message: "write 'parameters { $0.bool = … }'")
    public func set(boolEncodingStrategy strategy: ParameterStrategies.BoolEncoding) -> Self {
        parameters { $0.bool = strategy }
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
}

// The overloads of 0.2 that infer how an input is sent.

extension UrlChainsBuilder {
    /// The former form of ``UrlChainsBuilder/loadData(sending:)``.
    @available(*, deprecated, message: "say how the input is sent: 'loadData(sending: .json)'")
    public func loadData<I: DTOEncodable & Sendable>() -> Chain<I, Data> where I.DTO.Raw: RequestPayload {
        loadData(sending: .model)
    }

    /// The former form of ``UrlChainsBuilder/loadStream(sending:)``.
    @available(*, deprecated, message: "say how the input is sent: 'loadStream(sending: .json)'")
    public func loadStream<I: DTOEncodable & Sendable>() -> Chain<I, ResponseStream> where I.DTO.Raw: RequestPayload {
        loadStream(sending: .model)
    }
}
