/// How long each part of one exchange may take; `nil` sets no limit.
///
/// Millisecond precision on every transport. Values of zero or less are rejected as `invalidRequest`.
public struct Timeouts: Sendable, Hashable {
    /// From start to a connection that can be written to: name look-up, TCP, TLS.
    public var connect: Duration?
    /// From the last byte of the request to the first byte of the response.
    public var firstByte: Duration?
    /// The longest silence in either direction while the request is sent or the response is read.
    public var idle: Duration?
    /// The whole exchange, including the wait for a free connection.
    public var total: Duration?

    /// Creates limits; the defaults are connect 10 s, first byte 30 s, idle 30 s, no total.
    public init(
        connect: Duration? = .seconds(10),
        firstByte: Duration? = .seconds(30),
        idle: Duration? = .seconds(30),
        total: Duration? = nil
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.total = total
    }
}
