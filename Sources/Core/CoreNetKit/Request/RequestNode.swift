import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Turns a payload into a request that is ready for the wire.
///
/// in: `Payload`, to next: `TransportRequest`, out: the output of next. It performs these steps in order:
///
/// 1. The route gives its URL, a path below the base of the settings; it must be an absolute http or https one.
/// 2. The payload is encoded for HTTP. A GET or HEAD sends its model as the query; a model without content sends no body.
/// 3. The query of the settings and then that of the payload are appended to the route's own.
/// 4. The header fields of the settings get the payload's `Content-Type`, unless they already have one and that of the
///    payload has no boundary.
/// 5. The ``ResponseNode`` after it decides `Accept`, unless the settings have one, and how the content is delivered.
/// 6. The default deadline is removed if content of unlimited size is sent or received.
///
/// One node instead of four: the steps always follow each other, and passing values between nodes costs more than the
/// steps themselves.
public final class RequestNode<Payload: RequestPayload, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<TransportRequest, Output>
    private let method: HTTPMethod
    private let route: (any UrlRouteProvider & Sendable)?
    private let query: Result<String, any Error>
    private let settings: RequestSettings
    private let reader: ResponseRequirements?

    /// Creates the node before `next`; without a route, each call fails with `missingRoute`.
    ///
    /// The settings are ``RequestHolder/requestSettings`` of a client, which its verbs change.
    public convenience init(
        next: any Node<TransportRequest, Output>,
        method: HTTPMethod = .get,
        route: (any UrlRouteProvider & Sendable)?,
        settings: RequestSettings = RequestSettings()
    ) {
        let reader = ResponseRequirements(below: next)
        self.init(next: next, method: method, route: route, settings: settings, reader: reader)
    }

    init(
        next: any Node<TransportRequest, Output>,
        method: HTTPMethod,
        route: (any UrlRouteProvider & Sendable)?,
        settings: RequestSettings,
        reader: ResponseRequirements?
    ) {
        self.next = next
        self.method = method
        self.route = route
        self.settings = settings
        self.reader = reader
        query = settings.queryText
    }

    /// Makes the request and passes it on.
    ///
    /// - Throws: ``NetworkError`` with code `missingRoute`, `invalidURL`, `encodingFailed` or `unsupportedValue`, or an error
    ///   of the next node.
    public func process(_ input: Payload, context: RequestContext) async throws -> Output {
        let request = try request(for: input, context)
        do {
            // Copied only if it is changed.
            guard context.hasTooShortDeadline(for: request) else {
                return try await next.process(request, context: context)
            }
            var unlimited = context
            unlimited.removeStandardDeadline()
            return try await next.process(request, context: unlimited)
        } catch let error as NetworkError where error.response != nil {
            throw error.decodingBody(with: settings.coding)
        }
    }

    private func request(for payload: Payload, _ context: RequestContext) throws -> TransportRequest {
        let (route, text) = try routed(context.secrets)
        let encoded = try encoded(payload)
        let located = try located(route, adding: encoded.query)
        let url = located ?? route
        var headers = settings.metadata
        if let type = encoded.contentType, type.isMultipart || !headers.contains("Content-Type") {
            headers["Content-Type"] = type
        }
        context.noteDetail(.requestBuilt(method: method, url: url.absoluteString, headers: headers))
        context.record(.debug, id, "\(place), \(encoded.contentType ?? "no content")")
        if let reader, !headers.contains("Accept") { headers.append("Accept", reader.accept) }
        let known = located == nil ? text : nil
        let delivery = reader?.delivery ?? settings.delivery
        var request = TransportRequest(method, url, text: known, headers, encoded.body, settings.timeouts, delivery)
        if settings.contentCoding != .automatic { request.coding = settings.contentCoding }
        if !context.secrets.isStandard { request.secrets = context.secrets }
        return request
    }

    /// The destination of the payload's parameters.
    private var place: ParametersEncoding {
        method == .get || method == .head ? .urlQuery : settings.encoding
    }

    private func routed(_ secrets: SecretRules) throws -> (URL, String) {
        guard let route else { throw NetworkError.missingRoute(id) }
        do {
            let url = try route.url(relativeTo: settings.base?.get())
            let text = url.absoluteString
            if let reason = url.reasonAgainstHTTP(secrets, text) { throw NetworkError(.invalidURL, reason, node: id) }
            return (url, text)
        } catch {
            throw NetworkError.wrapping(error, node: id, code: .invalidURL) ?? error
        }
    }

    private func encoded(_ payload: Payload) throws -> EncodedPayload {
        do {
            return try payload.encoded(as: place, strategies: settings.strategies)
        } catch {
            throw NetworkError.wrapping(error, node: id, code: .encodingFailed) ?? error
        }
    }

    /// The URL with both queries added at once, because a URL is parsed again for each change; `nil` if there is none.
    private func located(_ url: URL, adding payload: String) throws -> URL? {
        let own: String
        do { own = try query.get() } catch {
            throw NetworkError.wrapping(error, node: id, code: .unsupportedValue) ?? error
        }
        guard !own.isEmpty || !payload.isEmpty else { return nil }
        do {
            let isJoined = own.isEmpty || payload.isEmpty || own.hasSuffix("&")
            return try url.appending(query: isJoined ? own + payload : "\(own)&\(payload)")
        } catch {
            throw NetworkError.wrapping(error, node: id, code: .invalidURL) ?? error
        }
    }
}

extension String {
    /// Whether the media type has a boundary, without which the content cannot be read: it must not be replaced.
    var isMultipart: Bool { lowercased().hasPrefix("multipart/") }
}

extension NetworkError {
    static func missingRoute(_ node: NodeID) -> NetworkError {
        NetworkError(.missingRoute, "no route: call route(_:_:) on the builder before build()", node: node)
    }
}

extension URL {
    /// Why no transport can handle the URL; `nil` if one can.
    fileprivate func reasonAgainstHTTP(_ secrets: SecretRules, _ text: String) -> String? {
        var text = text
        // Scheme, host and port are obvious from the text of nearly all URLs.
        if text.withUTF8({ Origin.Parts($0) != nil }) || UnixSocket(text: text) != nil { return nil }
        guard let scheme, ["http", "https"].contains(scheme.lowercased()) else {
            return "'\(Redaction.url(self, by: secrets))' is not an absolute http or https URL"
        }
        guard let host = host(percentEncoded: true), !host.isEmpty else {
            return "'\(Redaction.url(self, by: secrets))' has no host"
        }
        return nil
    }
}

/// The requirements of the reader of a response.
struct ResponseRequirements: Sendable {
    /// The value of the `Accept` field.
    let accept: String
    /// The required delivery of the content; `nil` uses the setting of the chain.
    let delivery: ResponseDelivery?
}

extension ResponseRequirements {
    init<Payload: ResponsePayload>(of payload: Payload.Type) {
        self.init(accept: Payload.accept, delivery: Payload.delivery)
    }

    /// The requirements of the first reader in a part of a chain; `nil` if there is none.
    init?(below node: any Node) {
        let found =
            (node as? any ReadingNode)?.requirements ?? node.successors.lazy.compactMap { Self(below: $0) }.first
        guard let found else { return nil }
        self = found
    }
}

/// A node that reads responses: a ``ResponseNode`` of any model.
protocol ReadingNode: Node {
    var requirements: ResponseRequirements { get }
}
