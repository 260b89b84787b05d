#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One HTTP response as it came from the wire, whatever its status.
public struct TransportResponse: Sendable {
    /// The final status code, 200...999; informational responses are not reported.
    public var status: Int
    /// Field lines in the order of the wire.
    public var headers: Headers
    /// The content.
    public var body: ResponseBody
    /// The URL that answered.
    public var url: URL
    /// When what happened on the wire.
    public var timings: TransportTimings
    /// What nodes and transports add to a response, each under its own key.
    public var attributes = Attributes()

    /// Creates a response, for transports and mocks.
    public init(
        status: Int,
        headers: Headers = [:],
        body: ResponseBody = .bytes(Data()),
        url: URL,
        timings: TransportTimings = .init()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.timings = timings
    }
}
