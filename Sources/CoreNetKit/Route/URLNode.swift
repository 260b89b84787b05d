import CoreNetKitEssentials
import CoreNetKitHTTP

/// Asks the route for its URL and adds the builder's query after the route's own.
///
/// in: `RoutedRequest<Route, Payload>`, to next: `LocatedRequest<Payload>`, out: what next gives.
public struct URLNode<Route: UrlRouteProvider & Sendable, Payload: Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<LocatedRequest<Payload>, Output>
    private let query: Result<String, NetworkError>

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the located request.
    ///   - query: Escaped items joined by `&`, added after the route's own query.
    public init(next: any Node<LocatedRequest<Payload>, Output>, query: String = "") {
        self.init(next: next, query: .success(query))
    }

    init(next: any Node<LocatedRequest<Payload>, Output>, query: Result<String, NetworkError>) {
        self.next = next
        self.query = query
    }

    /// Resolves the route and passes the request on.
    ///
    /// - Parameters:
    ///   - input: The routed request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with code `invalidURL` when the route gives no absolute http or https URL.
    public func process(_ input: RoutedRequest<Route, Payload>, context: RequestContext) async throws -> Output {
        let url = try input.route.located(adding: query, context)
        let located = LocatedRequest(
            method: input.method,
            url: url,
            metadata: input.metadata,
            payload: input.payload
        )
        return try await next.process(located, context: context)
    }
}

extension UrlRouteProvider {
    /// The route's URL with the builder's query behind its own.
    func located(adding query: Result<String, NetworkError>, _ context: RequestContext) throws -> URL {
        do {
            var url = try url().requiringHTTP(context.secrets)
            switch query {
            case .success(let text) where text.isEmpty: break
            case .success(let text): url = try url.appending(query: text)
            case .failure(let error): throw error
            }
            context.record(.debug, "URLNode", Redaction.url(url, by: context.secrets))
            return url
        } catch {
            throw NetworkError.wrapping(error, stage: "URLNode", code: .invalidURL) ?? error
        }
    }
}

extension URL {
    /// The URL itself, when a transport can be asked for it.
    func requiringHTTP(_ secrets: SecretRules) throws -> URL {
        if isPlainHTTP { return self }
        guard let scheme, ["http", "https"].contains(scheme.lowercased()) else {
            throw NetworkError(
                .invalidURL,
                "'\(Redaction.url(self, by: secrets))' is no absolute http or https URL",
                stage: "URLNode"
            )
        }
        guard let host = host(percentEncoded: true), !host.isEmpty else {
            throw NetworkError(.invalidURL, "'\(Redaction.url(self, by: secrets))' has no host", stage: "URLNode")
        }
        return self
    }

    /// Whether the text shows scheme, host and port at first sight: what nearly all URLs do.
    private var isPlainHTTP: Bool {
        var text = absoluteString
        return text.withUTF8 { Origin.Parts($0) != nil }
    }
}
