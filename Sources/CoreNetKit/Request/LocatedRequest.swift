public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// A payload with its metadata and the URL it goes to, before it is bytes.
public struct LocatedRequest<Payload: Sendable>: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// An absolute http or https URL, with the query of route and builder.
    public var url: URL
    /// Header fields.
    public var metadata: Headers
    /// What is sent.
    public var payload: Payload

    /// Creates a located request.
    public init(method: HTTPMethod, url: URL, metadata: Headers = [:], payload: Payload) {
        self.method = method
        self.url = url
        self.metadata = metadata
        self.payload = payload
    }
}
