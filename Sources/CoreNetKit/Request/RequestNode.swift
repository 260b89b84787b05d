import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Turns a payload into a request that is ready for the wire.
///
/// in: `Payload`, to next: `TransportRequest`, out: what next gives. It takes these steps, one after the other:
///
/// 1. The route gives its URL, which must be an absolute http or https one.
/// 2. The payload takes the form that HTTP carries. A GET or HEAD with the encoding `json` sends its model as the query; a
///    model without content sends no body.
/// 3. The query of the settings and then that of the payload are added behind the route's own.
/// 4. The header fields of the settings get the payload's `Content-Type`, unless they have one and the payload's names no
///    boundary.
///
/// One node and not four: they always follow each other, and what passes between nodes costs more than these steps.
public final class RequestNode<Payload: RequestPayload, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<TransportRequest, Output>
    private let method: HTTPMethod
    private let route: (any UrlRouteProvider & Sendable)?
    private let query: Result<String, any Error>
    private let options: RequestOptions
    private let reader: ResponseTerms?

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the request.
    ///   - method: The request method.
    ///   - route: Where the request goes; `nil` fails each call with `missingRoute`.
    ///   - settings: How requests are made: ``RequestHolder/requestSettings`` of a client, which its verbs change.
    public convenience init(
        next: any Node<TransportRequest, Output>,
        method: HTTPMethod = .get,
        route: (any UrlRouteProvider & Sendable)?,
        settings: RequestSettings = RequestSettings()
    ) {
        self.init(next: next, method: method, route: route, options: settings.options, reader: nil)
    }

    /// Creates the node; where it is known who reads the response, the request is made to fit at once.
    init(
        next: any Node<TransportRequest, Output>,
        method: HTTPMethod,
        route: (any UrlRouteProvider & Sendable)?,
        options: RequestOptions,
        reader: ResponseTerms?
    ) {
        self.next = next
        self.method = method
        self.route = route
        self.options = options
        self.reader = reader
        query = options.queryText
    }

    /// Makes the request and passes it on.
    ///
    /// - Parameters:
    ///   - input: The payload.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `missingRoute`, `invalidURL`, `encodingFailed` or `unsupportedValue`, or what next
    ///   throws.
    public func process(_ input: Payload, context: RequestContext) async throws -> Output {
        try await next.process(try request(for: input, context), context: context)
    }

    private func request(for payload: Payload, _ context: RequestContext) throws -> TransportRequest {
        let route = try routed(context.secrets)
        let encoded = try encoded(payload)
        let url = try located(route, adding: encoded.query)
        var headers = options.metadata
        if let type = encoded.contentType, type.isMultipart || !headers.contains("Content-Type") {
            headers["Content-Type"] = type
        }
        context.noteDetail(.requestBuilt(method: method, url: url.absoluteString, headers: headers))
        context.record(.debug, id, "\(place), \(encoded.contentType ?? "no content")")
        if let reader, !headers.contains("Accept") { headers.append("Accept", reader.accept) }
        var request = TransportRequest(
            method: method,
            url: url,
            headers: headers,
            body: encoded.body,
            timeouts: options.timeouts,
            delivery: reader?.delivery ?? options.delivery
        )
        if !context.secrets.isStandard { request.secrets = context.secrets }
        return request
    }

    /// Where the payload's parameters go.
    private var place: ParametersEncoding {
        options.encoding == .json && (method == .get || method == .head) ? .urlQuery : options.encoding
    }

    private func routed(_ secrets: SecretRules) throws -> URL {
        guard let route else { throw NetworkError.missingRoute(id) }
        do {
            let url = try route.url()
            if let reason = url.reasonAgainstHTTP(secrets) { throw NetworkError(.invalidURL, reason, node: id) }
            return url
        } catch {
            throw NetworkError.wrapping(error, node: id, code: .invalidURL) ?? error
        }
    }

    private func encoded(_ payload: Payload) throws -> EncodedPayload {
        do {
            return try payload.encoded(as: place, strategies: options.strategies)
        } catch {
            throw NetworkError.wrapping(error, node: id, code: .encodingFailed) ?? error
        }
    }

    /// Both queries at once: a URL that gets one is read anew.
    private func located(_ url: URL, adding payload: String) throws -> URL {
        let own: String
        do { own = try query.get() } catch {
            throw NetworkError.wrapping(error, node: id, code: .unsupportedValue) ?? error
        }
        guard !own.isEmpty || !payload.isEmpty else { return url }
        do {
            let isJoined = own.isEmpty || payload.isEmpty || own.hasSuffix("&")
            return try url.appending(query: isJoined ? own + payload : "\(own)&\(payload)")
        } catch {
            throw NetworkError.wrapping(error, node: id, code: .invalidURL) ?? error
        }
    }
}

extension String {
    /// Whether the media type names a boundary, without which the content cannot be read: no other may replace it.
    var isMultipart: Bool { lowercased().hasPrefix("multipart/") }
}

extension NetworkError {
    /// Nobody said where the request goes.
    static func missingRoute(_ node: NodeID) -> NetworkError {
        NetworkError(.missingRoute, "no route: call route(_:_:) on the builder before build()", node: node)
    }
}

extension URL {
    /// Why no transport can be asked for the URL; `nil` where one can.
    fileprivate func reasonAgainstHTTP(_ secrets: SecretRules) -> String? {
        if isPlainHTTP || UnixSocket(text: absoluteString) != nil { return nil }
        guard let scheme, ["http", "https"].contains(scheme.lowercased()) else {
            return "'\(Redaction.url(self, by: secrets))' is no absolute http or https URL"
        }
        guard let host = host(percentEncoded: true), !host.isEmpty else {
            return "'\(Redaction.url(self, by: secrets))' has no host"
        }
        return nil
    }

    /// Whether the text shows scheme, host and port at first sight: what nearly all URLs do.
    private var isPlainHTTP: Bool {
        var text = absoluteString
        return text.withUTF8 { Origin.Parts($0) != nil }
    }
}
