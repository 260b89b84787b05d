import CoreNetKitHTTP

/// What a builder knows about the request of its chains.
struct RequestOptions<Route: Sendable>: Sendable {
    var method: HTTPMethod = .get
    var route: Route?
    var query: Result<ParameterValue, NetworkError>?
    var strategies = ParameterStrategies()
    var encoding: ParametersEncoding = .json
    var coding = JsonCoding()
    var metadata: Headers = [:]
    var providers: [any MetadataProvider] = []
    var timeouts = Timeouts()
    var delivery: ResponseDelivery = .collect
    var redirectLimit = 10
    var transport: (any Transport)?
}
