package import CoreNetKitHTTP
package import CoreNetKitJson

// What feature modules have to know of a builder beside its verbs.
extension UrlChainsBuilder {
    /// How models are written and read as JSON.
    package var coding: JsonCoding { options.coding }

    /// The method that was set with the route.
    package var requestMethod: HTTPMethod { method }

    /// The same with a route that may have the schemes of WebSocket.
    package var toSocket: Self {
        var copy = self
        copy.route = route.map { SocketRoute(route: $0) }
        return copy
    }
}

extension UrlChainsBuilder {
    /// Names the route without what differs from call to call, for spans and metrics: `/orders/{id}`.
    ///
    /// Paths with ids in them would make a series of figures for each order.
    ///
    /// - Parameter template: The path with names in braces; `nil` for none.
    /// - Returns: A copy.
    public func template(_ template: String?) -> Self { changed { $0.options.template = template } }
}
