public import CoreNetKitChain
public import CoreNetKitHTTP

/// The settings that clients and builders have in common besides policies: how their requests are made.
public protocol RequestHolder: PolicyHolder {
    /// The settings; each has a verb.
    var requestSettings: RequestSettings { get set }
}

extension RequestHolder {
    func with(_ change: (inout RequestSettings.Fields) -> Void) -> Self {
        var copy = self
        copy.requestSettings.change(change)
        return copy
    }

    /// Sets the URL that paths are joined with, ``Client/Path`` and ``PathRoute``; other routes ignore it.
    ///
    /// A URL, its text or a route: an absolute http or https URL, which may have a path and a query; `nil` for none.
    /// One that is not such a URL fails each call with `invalidURL`.
    public func base(_ base: (any UrlRouteProvider & Sendable)?) -> Self {
        let url = base.map { base in
            Result { try base.url() }.mapError { NetworkError.wrapping($0, node: "base", code: .invalidURL) ?? $0 }
        }
        return with { $0.base = url }
    }

    /// Sets where the input model is sent; `json` is the default.
    public func encode(as encoding: ParametersEncoding) -> Self { with { $0.encoding = encoding } }

    /// Sets the query, for any method; it is added after the route's own.
    ///
    /// The values are strings, numbers, booleans, dates, `nil`, and arrays and dictionaries of them. They are converted
    /// now; one that cannot be represented in a query fails each call with an error that names its key.
    public func set(query: [String: Any?]) -> Self {
        let converted = ParameterValue.query(query)
        return with { $0.query = converted }
    }

    /// Adds items to the query that was set before; the new value of an existing name replaces the old one.
    public func add(query: [String: Any?]) -> Self {
        let converted = ParameterValue.query(query)
        return with { options in
            guard let known = options.query else { return options.query = converted }
            options.query = known.flatMap { known in converted.map { known.merging($0) } }
        }
    }

    /// Sets how parameters are written in query and form.
    ///
    /// ```swift
    /// let client = Client().parameters { parameters in
    ///     parameters.bool = .asBool
    ///     parameters.array = .indexed
    /// }
    /// ```
    public func parameters(_ change: (inout ParameterStrategies) -> Void) -> Self {
        with { change(&$0.strategies) }
    }

    /// Sets how booleans are written: ``parameters(_:)`` in the documents' spelling.
    public func set(boolEncodingStartegy strategy: ParameterStrategies.BoolEncoding) -> Self {
        parameters { $0.bool = strategy }
    }

    /// Sets how arrays are written: ``parameters(_:)`` as the documents write it.
    public func set(arrayEncodingStrategy strategy: ParameterStrategies.ArrayEncoding) -> Self {
        parameters { $0.array = strategy }
    }

    /// Sets how `Codable` models are written and read as JSON: keys and dates.
    public func set(coding: JsonCoding) -> Self { with { $0.coding = coding } }

    /// Replaces the header fields of the request; providers may replace them by name.
    public func set(metadata: [String: String]) -> Self { set(headers: metadata.sortedFields) }

    /// Replaces the header fields of the request, with repeated names and order kept.
    public func set(headers: Headers) -> Self { with { $0.metadata = headers } }

    /// Adds header fields to those that were set before; an existing name is replaced.
    public func add(headers: Headers) -> Self { with { $0.metadata.merge(headers) } }

    /// Adds a header field to those that were set before; an existing name is replaced.
    public func add(header name: String, _ value: String) -> Self { with { $0.metadata[name] = value } }

    /// Sets the limits of each exchange.
    public func set(timeouts: Timeouts) -> Self { with { $0.timeouts = timeouts } }

    /// Sets the maximum number of content bytes to collect: 64 MiB by default.
    public func set(responseLimit: Int) -> Self { with { $0.delivery = .collect(limit: responseLimit) } }

    /// Sets whether content that was compressed on the wire is decoded, as it is by default.
    ///
    /// With `.identity` it is returned as it is on the wire: uncompressed, unless the server or an `Accept-Encoding` field
    /// of the request decides otherwise.
    public func set(contentCoding coding: TransportRequest.ContentCoding) -> Self { with { $0.contentCoding = coding } }

    /// Authorizes each request with name and password (RFC 7617); prefer a token source if there is one.
    ///
    /// A colon in the name, after which the server would take the text for the password, or a control character in
    /// either fails each call with `invalidRequest`.
    public func authorize(user: String, password: String) -> Self {
        do {
            return add(header: "Authorization", try BasicCredentials.field(user: user, password: password))
        } catch {
            return add(provider: InvalidField(node: "authorize", error: error))
        }
    }

    /// Sets the field `Priority` (RFC 9218, 4), by which a server may order the responses that share its capacity.
    ///
    /// The urgency is from 0, the most urgent, to 7, background work; without the field it is 3. Another number fails each call with
    /// `invalidRequest`. With `incremental`, parts of the response are of use before the rest has arrived.
    public func set(urgency: Int, incremental: Bool = false) -> Self {
        guard 0...7 ~= urgency else {
            let error = FieldCheck.invalid("the urgency \(urgency) is not in 0...7 (RFC 9218, 4.1)")
            return add(provider: InvalidField(node: "urgency", error: error))
        }
        return add(header: "Priority", incremental ? "u=\(urgency), i" : "u=\(urgency)")
    }
}

/// Fails each call, because a verb's argument is not valid in its header field.
private struct InvalidField: MetadataProvider {
    let node: NodeID
    let error: TransportError

    func metadata() async throws -> Headers {
        throw NetworkError(.invalidRequest, error.message, node: node, cause: error)
    }
}

extension ParameterValue {
    static func query(_ query: [String: Any?]) -> Result<ParameterValue, RequestEncodingError> {
        Result { () throws(RequestEncodingError) in try ParameterValue(any: query.mapValues { $0 as Any }) }
    }

    /// Both objects merged; for a name that both have, the other's value is used.
    func merging(_ other: ParameterValue) -> ParameterValue {
        guard case .object(let mine) = self, case .object(let theirs) = other else { return other }
        return .object(mine.merging(theirs) { $1 })
    }
}
