public import CoreNetKitHTTP

extension UrlChainsBuilder {
    /// Sets method and route.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - route: Where the request goes.
    /// - Returns: A changed copy.
    public func route(_ method: HTTPMethod, _ route: Route) -> Self {
        with {
            $0.request.method = method
            $0.request.route = route
        }
    }

    /// Sets where the input model goes; `json` is the default.
    public func encode(as encoding: ParametersEncoding) -> Self {
        with { $0.request.encoding = encoding }
    }

    /// Sets the query, for any method; it is added behind the route's own.
    ///
    /// The values are converted now; one that has no form in a query is the error of each call, with its key.
    /// - Parameter query: Strings, numbers, booleans, dates, `nil`, and arrays and dictionaries of them.
    /// - Returns: A changed copy.
    public func set(query: [String: Any]) -> Self {
        let converted = Result { try ParameterValue(any: query) }.mapError { error in
            NetworkError.wrapping(error, stage: "URLNode", code: .unsupportedValue)
                ?? NetworkError(.unsupportedValue, "\(error)", stage: "URLNode")
        }
        return with { $0.request.query = converted }
    }

    /// Sets how booleans are written in query and form: `.asInt` is the default.
    public func set(boolEncodingStrategy strategy: BoolEncodingStrategy) -> Self {
        with { $0.request.strategies.bool = strategy }
    }

    /// The document's spelling of ``set(boolEncodingStrategy:)``.
    public func set(boolEncodingStartegy strategy: BoolEncodingStrategy) -> Self {
        set(boolEncodingStrategy: strategy)
    }

    /// Sets how arrays are written in query and form: `.brackets` is the default.
    public func set(arrayEncodingStrategy strategy: ArrayEncodingStrategy) -> Self {
        with { $0.request.strategies.array = strategy }
    }

    /// Sets how dictionaries are written in query and form: `.brackets` is the default.
    public func set(dictEncodingStrategy strategy: DictionaryEncodingStrategy) -> Self {
        with { $0.request.strategies.dictionary = strategy }
    }

    /// The ancestor's spelling of ``set(dictEncodingStrategy:)``.
    public func set(dictEncodindStrategy strategy: DictionaryEncodingStrategy) -> Self {
        set(dictEncodingStrategy: strategy)
    }

    /// Sets how dates are written in query and form: `.iso8601` is the default.
    public func set(dateEncodingStrategy strategy: DateEncodingStrategy) -> Self {
        with { $0.request.strategies.date = strategy }
    }

    /// Sets how `nil` is written in query and form: `.omit` is the default.
    public func set(nilEncodingStrategy strategy: NilEncodingStrategy) -> Self {
        with { $0.request.strategies.null = strategy }
    }

    /// Sets how `Codable` models are written and read as JSON: keys and dates.
    public func set(coding: JsonCoding) -> Self {
        with { $0.request.coding = coding }
    }

    /// Replaces the header fields of the request; providers may replace them by name.
    public func set(metadata: [String: String]) -> Self {
        set(headers: Headers(metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }

    /// Replaces the header fields of the request, with repeated names and order kept.
    public func set(headers: Headers) -> Self {
        with { $0.request.metadata = headers }
    }

    /// Adds a provider of header fields; it is asked for each call, after those added before it.
    public func add(provider: any MetadataProvider) -> Self {
        with { $0.request.providers.append(provider) }
    }
}
