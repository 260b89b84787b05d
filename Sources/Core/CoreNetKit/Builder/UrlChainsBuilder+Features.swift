package import CoreNetKitHTTP
package import CoreNetKitJson

// The parts of a builder that feature modules need besides its verbs.
extension UrlChainsBuilder {
    /// How models are written and read as JSON.
    package var coding: JsonCoding { options.coding }

    /// The method that was set with the route.
    package var requestMethod: HTTPMethod { method }

    /// The same for a route that may have a WebSocket scheme.
    package var toSocket: Self {
        var copy = self
        copy.route = route.map { SocketRoute(route: $0) }
        return copy
    }
}

extension UrlChainsBuilder {
    /// Names the route without the parts that differ from call to call, for spans and metrics: `/orders/{id}`.
    ///
    /// Paths that contain ids would create a separate series for each order.
    ///
    /// - Parameter template: The path with names in braces; `nil` for none.
    /// - Returns: A copy.
    public func template(_ template: String?) -> Self { changed { $0.options.template = template } }
}
