public import CoreNetKitEssentials

/// The timings and facts of one exchange on the wire.
///
/// A duration is `nil` if the part did not happen (a reused connection resolves nothing) or is unknown.
public struct TransportTimings: Sendable, Hashable {
    /// When the exchange began, on the wall clock: when it was requested, before the wait for a connection.
    public var startDate: Date?
    /// The same moment on the monotonic clock.
    public var startInstant: ContinuousClock.Instant?
    /// The wait for a free connection slot.
    public var queue: Duration?
    /// The name look-up.
    public var resolve: Duration?
    /// The TCP connect.
    public var connect: Duration?
    /// The TLS handshake.
    public var tls: Duration?
    /// From a usable connection to the end of the request.
    public var send: Duration?
    /// From the end of the request to the first byte of the response.
    public var firstByte: Duration?
    /// From the first to the last byte of the response.
    public var receive: Duration?
    /// The whole exchange.
    public var total: Duration?
    /// Bytes written to the wire: head and body.
    public var bytesSent: Int64?
    /// Bytes read from the wire, before decompression: head and body.
    public var bytesReceived: Int64?
    /// Bytes of the content after decompression.
    public var bytesDecoded: Int64?
    /// A number that is the same for exchanges over the same connection.
    public var connectionID: Int64?
    /// Whether the connection had been used before.
    public var isConnectionReused: Bool?
    /// `1.0`, `1.1`, `2` or `3`.
    public var httpVersion: String?
    /// Address and port that were connected to, as `127.0.0.1:80` or `[::1]:80`.
    public var remoteAddress: String?
    /// The version of TLS, as `TLSv1.3`; `nil` without TLS.
    public var tlsVersion: String?
    /// The cipher suite of TLS by its name, as `TLS_AES_256_GCM_SHA384`.
    public var tlsCipher: String?

    /// Creates timings in which nothing is known.
    public init() {}
}
