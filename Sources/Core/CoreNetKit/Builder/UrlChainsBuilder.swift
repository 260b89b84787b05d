public import CoreNetKitChain
public import CoreNetKitHTTP

/// Describes a request to a URL and builds the chain that makes it.
///
/// A builder is a value: every verb returns a changed copy, so it can be stored, shared and reused. Options may be set
/// in any order and apply to every kind of chain. The input and output types of `build()` are inferred from where the
/// chain is used. Building never fails: missing or invalid settings are errors of each call.
public struct UrlChainsBuilder<Route: UrlRouteProvider & Sendable>: RequestHolder {
    /// Transport, policies, and how calls run.
    public var configuration: ChainConfiguration
    /// How requests are made.
    public var requestSettings: RequestSettings
    var method: HTTPMethod = .get
    /// Not a `Route?`: the metadata of a generic type's optional is looked up at run time at every use.
    var route: (any UrlRouteProvider & Sendable)?

    /// Creates a builder without a route, with the settings of the client and the method GET.
    public init(client: Client = .shared) {
        configuration = client.configuration
        requestSettings = client.requestSettings
    }

    /// Sets method and route.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - route: The destination of the request.
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

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
