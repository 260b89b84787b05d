import CoreNetKitHTTP

/// Turns a payload into a request that is ready for the wire, as the builder's chains do: what ``MetadataNode``,
/// ``RoutingNode``, ``URLNode`` and ``EncodingNode`` do one after the other.
///
/// in: `Payload`, to next: `TransportRequest`, out: what next gives.
final class RequestNode<Payload: RequestPayload, Output: Sendable>: ChainStep, CombinedNode {
    let next: any Node<TransportRequest, Output>
    private let method: HTTPMethod
    private let route: (any UrlRouteProvider & Sendable)?
    private let query: Result<String, NetworkError>
    private let options: RequestOptions
    private let wish: RequestForm.Wish?

    init(
        next: any Node<TransportRequest, Output>,
        method: HTTPMethod,
        route: (any UrlRouteProvider & Sendable)?,
        query: Result<String, NetworkError>,
        options: RequestOptions,
        wish: RequestForm.Wish?
    ) {
        self.next = next
        self.method = method
        self.route = route
        self.query = query
        self.options = options
        self.wish = wish
    }

    var steps: [NodeID] { ["MetadataNode", "RoutingNode", "URLNode", "EncodingNode"] }

    func process(_ input: Payload, context: RequestContext) async throws -> Output {
        try await next.process(try request(for: input, context), context: context)
    }

    private func request(for payload: Payload, _ context: RequestContext) throws -> TransportRequest {
        guard let route else { throw NetworkError.missingRoute }
        let url = try route.located(adding: query, context)
        return try options.form.request(method, url, options.metadata, payload, context, wish: wish)
    }
}
