public import CoreNetKitChain
public import CoreNetKitEssentials
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
    public func route(_ method: HTTPMethod, _ route: Route) -> Self {
        var copy = self
        copy.method = method
        copy.route = route
        return copy
    }
}

extension UrlChainsBuilder: CustomStringConvertible, DescriptionOnly {
    /// Method, type of the route, counts and policies on one line; a route may be a URL with secrets.
    public var description: String { "\(method) \(Route.self), \(requestSettings), \(configuration)" }
}

// The parts of a builder that feature modules need besides its verbs.
extension UrlChainsBuilder {
    /// How models are written and read as JSON.
    package var coding: JsonCoding { requestSettings.coding }

    package var requestMethod: HTTPMethod { method }

    /// The same for a route that may have a WebSocket scheme.
    package var toSocket: Self {
        var copy = self
        copy.route = route.map { SocketRoute(route: $0) }
        return copy
    }

    /// Names the route without the parts that differ from call to call, for spans and metrics: `/orders/{id}`.
    ///
    /// Paths that contain ids would create a separate series for each order.
    public func template(_ template: String?) -> Self { changed { $0.options.template = template } }
}

// Each end takes every input: a value says how it is sent.
extension UrlChainsBuilder {
    /// Builds a chain whose input and output are described by values, where `build()` infers them from their types.
    ///
    /// ```swift
    /// let users = UrlChainsBuilder<String>().route(.get, "https://example.com/users").build(reading: .json([String].self))
    /// ```
    public func build<Input, Output>(
        sending: Sending<Input> = .nothing,
        reading: Reading<Output>
    ) -> Chain<Input, Output> {
        chain(sending, reading.node(configuration.exchange, coding))
    }

    /// Builds a chain that returns the response's bytes unchanged.
    ///
    /// Like any call, it may take 60 s in total, unless a deadline is set.
    public func loadData<Input>(sending: Sending<Input> = .nothing) -> Chain<Input, Data> {
        build(sending: sending, reading: .data)
    }

    /// Builds a chain that returns the response's content as chunks, with back-pressure.
    ///
    /// It may take any time while bytes move: unless a deadline is set, only silence ends it (`Timeouts.idle`).
    public func loadStream<Input>(sending: Sending<Input> = .nothing) -> Chain<Input, ResponseStream> {
        chain(sending, ResponseNode(payloadOf: configuration.exchange))
    }

    /// Builds a chain that writes the response's content to a file and returns the response with the file's URL.
    ///
    /// An existing file is replaced when the content is complete. It may take any time while bytes move: unless a
    /// deadline is set, only silence ends it (`Timeouts.idle`).
    public func download<Input>(to file: URL, sending: Sending<Input> = .nothing) -> Chain<Input, Response<URL>> {
        let copy = with { $0.delivery = .file(file) }
        return copy.chain(sending, ResponseNode(fileOf: copy.configuration.exchange))
    }
}
