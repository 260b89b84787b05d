public import CoreNetKitChain

/// A payload with its metadata, before its destination is known.
public struct RequestModel<Payload: Sendable>: Sendable {
    /// Transport-neutral keys and values; header fields if the transport is HTTP.
    public var metadata: Headers
    /// The payload.
    public var payload: Payload

    /// Creates a request model.
    public init(metadata: Headers = [:], payload: Payload) {
        self.metadata = metadata
        self.payload = payload
    }
}

/// Adds the metadata of the call to its payload.
public struct MetadataNode<Payload: Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<RequestModel<Payload>, Output>
    private let metadata: Headers

    /// Creates the node before `next`.
    public init(next: any Node<RequestModel<Payload>, Output>, metadata: Headers = [:]) {
        self.next = next
        self.metadata = metadata
    }

    /// Passes payload and metadata on.
    public func process(_ input: Payload, context: RequestContext) async throws -> Output {
        try await next.process(RequestModel(metadata: metadata, payload: input), context: context)
    }
}

/// A payload with its metadata and its route; the route need not be a URL.
public struct RoutedRequest<Route: Sendable, Payload: Sendable>: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// The destination of the request, in the terms of the chain's protocol.
    public var route: Route
    /// Transport-neutral keys and values.
    public var metadata: Headers
    /// The payload.
    public var payload: Payload

    /// Creates a routed request.
    public init(method: HTTPMethod, route: Route, metadata: Headers = [:], payload: Payload) {
        self.method = method
        self.route = route
        self.metadata = metadata
        self.payload = payload
    }
}

/// Adds the destination of a payload; the route may be of any type.
public struct RoutingNode<Route: Sendable, Payload: Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<RoutedRequest<Route, Payload>, Output>
    private let method: HTTPMethod
    private let route: Route?

    /// Creates the node before `next`; without a route, each call fails with `missingRoute`.
    public init(next: any Node<RoutedRequest<Route, Payload>, Output>, method: HTTPMethod = .get, route: Route?) {
        self.next = next
        self.method = method
        self.route = route
    }

    /// Passes payload, metadata and route on.
    ///
    /// - Throws: ``NetworkError`` with code `missingRoute`, or an error of the next node.
    public func process(_ input: RequestModel<Payload>, context: RequestContext) async throws -> Output {
        guard let route else { throw NetworkError.missingRoute(id) }
        let routed = RoutedRequest(method: method, route: route, metadata: input.metadata, payload: input.payload)
        return try await next.process(routed, context: context)
    }
}
