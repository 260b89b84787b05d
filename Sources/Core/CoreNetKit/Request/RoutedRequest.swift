public import CoreNetKitHTTP

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
