public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// A request as the outbox keeps it: encoded, without the fields and tokens that each delivery adds.
public struct OutboxRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL.
    public var url: URL
    /// Header fields of the request itself.
    public var headers: Headers
    /// Empty, bytes or a file.
    public var body: RequestBody

    /// Creates a request.
    public init(method: HTTPMethod, url: URL, headers: Headers = [:], body: RequestBody = .empty) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    init(_ request: TransportRequest) {
        self.init(method: request.method, url: request.url, headers: request.headers, body: request.body)
    }

    var transportRequest: TransportRequest {
        TransportRequest(method: method, url: url, headers: headers, body: body)
    }
}
