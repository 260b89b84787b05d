public import CoreNetKitChain
public import CoreNetKitHTTP

/// Describes a request to a URL and builds the chain that makes it.
///
/// A builder is a value: every verb returns a changed copy, so it can be kept, shared and reused. Options may be set in
/// any order and apply to every kind of chain. The input and output types of `build()` are inferred from where the
/// chain is used. Nothing fails while building: what is missing or wrong is the error of each call.
public struct UrlChainsBuilder<Route: UrlRouteProvider & Sendable>: RequestHolder {
    /// Transport, policies, and how calls run.
    public var configuration: ChainConfiguration
    /// How requests are made.
    public var requestSettings: RequestSettings
    var method: HTTPMethod = .get
    /// Not as a `Route?`: a generic type's optional is looked up at run time wherever it is touched.
    var route: (any UrlRouteProvider & Sendable)?

    /// Creates a builder without a route: the settings of the client, GET.
    public init(client: Client = .shared) {
        configuration = client.configuration
        requestSettings = client.requestSettings
        configuration.assemble()
    }

    /// Sets method and route.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - route: Where the request goes.
    /// - Returns: A changed copy.
    public func route(_ method: HTTPMethod, _ route: Route) -> Self {
        var copy = self
        copy.method = method
        copy.route = route
        return copy
    }
}

extension UrlChainsBuilder: CustomStringConvertible, CustomReflectable {
    /// Method, type of the route, counts and policies on one line; a route may be a URL with secrets.
    public var description: String { "\(method) \(Route.self), \(requestSettings), \(configuration)" }

    /// Nothing but the description.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
