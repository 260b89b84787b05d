package import CoreNetKitHTTP
package import CoreNetKitJson

// What feature modules have to know of a builder beside its verbs.
extension UrlChainsBuilder {
    /// How models are written and read as JSON.
    package var coding: JsonCoding { options.coding }

    /// The method that was set with the route.
    package var requestMethod: HTTPMethod { method }
}
