public import CoreNetKitEssentials

/// Performs one HTTP exchange: called by the last node, and the only part that touches the network.
///
/// ### Choose a transport
/// `CurlTransport` is the default on Linux, `URLSessionTransport` on Apple platforms; tests use a mock.
///
/// ### Use a transport
/// A client is made with one, `Client(transport: transport)`; without a client, `send` performs one exchange.
///
/// ### Implement a transport
/// `send` follows no redirect, keeps no cookies and no cache, and sends a request again only where `Resending` allows
/// it: on another connection, when the one on which it was sent turned out to be dead. Any status is a response, not an
/// error. If content fails, the status decides: from 300 on the result is a response with the content so far and
/// ``TransportResponse/contentFailure``; below, it is an error with `TransportError.response`. When the calling task is
/// cancelled, the exchange is ended on the wire and `CancellationError` is thrown. A request that needs a capability
/// missing from ``capabilities`` must be rejected with `unsupported`, never ignored.
/// `TransportConformance` of CoreNetKitLoopback checks all of these rules. A transport that sends nothing that
/// distinguishes callers says so in ``clientIdentity(for:)``; one that wraps another returns that transport's identity.
///
/// ```swift
/// struct TaggingTransport: Transport {
///     let wire: any Transport
///
///     var capabilities: TransportCapabilities { wire.capabilities }
///
///     func clientIdentity(for url: URL) -> String? { wire.clientIdentity(for: url) }
///
///     func send(_ request: TransportRequest) async throws -> TransportResponse {
///         var request = request
///         request.headers["X-Build"] = "debug"
///         return try await wire.send(request)
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// What this transport can do beyond plain exchanges.
    var capabilities: TransportCapabilities { get }

    /// Sends a request and returns the response, its content in the form that `request.delivery` asks for.
    ///
    /// - Parameter request: The request; its URL is absolute.
    /// - Returns: The response, whatever its status.
    /// - Throws: `TransportError`, or `CancellationError` when the task was cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// What the transport itself reveals about the caller to the server of a URL, besides the request: a digest of the client
    /// certificate; empty if it reveals nothing.
    ///
    /// The same text in every process, and no secret: it is a part of each key by which calls share responses. `nil`, the
    /// default, means unknown: such responses are kept in memory only, for this transport alone.
    func clientIdentity(for url: URL) -> String?
}

extension Transport {
    /// Unknown.
    public func clientIdentity(for url: URL) -> String? { nil }
}

/// The version of the package, reported in archives and to collectors.
package enum PackageVersion {
    /// The version of the topmost release in `CHANGELOG.md`.
    package static let text = "0.3.0"
}
