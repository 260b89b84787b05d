public import CoreNetKitHTTP

/// Adds the destination of a payload; the route may be of any type.
///
/// in: `RequestModel<Payload>`, to next: `RoutedRequest<Route, Payload>`, out: the output of next.
public struct RoutingNode<Route: Sendable, Payload: Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<RoutedRequest<Route, Payload>, Output>
    private let method: HTTPMethod
    private let route: Route?

    /// Creates the node before `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the routed request.
    ///   - method: The request method.
    ///   - route: The destination of the payload; `nil` fails each call with `missingRoute`.
    public init(next: any Node<RoutedRequest<Route, Payload>, Output>, method: HTTPMethod = .get, route: Route?) {
        self.next = next
        self.method = method
        self.route = route
    }

    /// Passes payload, metadata and route on.
    ///
    /// - Parameters:
    ///   - input: Payload and metadata.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: ``NetworkError`` with code `missingRoute`, or an error of the next node.
    public func process(_ input: RequestModel<Payload>, context: RequestContext) async throws -> Output {
        guard let route else { throw NetworkError.missingRoute(id) }
        let routed = RoutedRequest(method: method, route: route, metadata: input.metadata, payload: input.payload)
        return try await next.process(routed, context: context)
    }
}
