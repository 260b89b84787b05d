#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One HTTP request, ready for the wire.
public struct TransportRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL; its fragment is not sent.
    public var url: URL
    /// Field lines; `Host`, `Content-Length` and `Transfer-Encoding` are the transport's.
    public var headers: Headers
    /// The content.
    public var body: RequestBody
    /// Limits of this exchange.
    public var timeouts: Timeouts
    /// How the response's content is handed over.
    public var delivery: ResponseDelivery

    /// Creates a request; only the URL has no default.
    public init(
        method: HTTPMethod = .get,
        url: URL,
        headers: Headers = [:],
        body: RequestBody = .empty,
        timeouts: Timeouts = .init(),
        delivery: ResponseDelivery = .collect
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.delivery = delivery
    }
}
