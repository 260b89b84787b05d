public import CoreNetKitEssentials

/// How a transport delivers the response's content.
public enum ResponseDelivery: Sendable, Hashable {
    /// Collects the content; more than `limit` bytes after decompression fail with `responseTooLarge`.
    case collect(limit: Int)
    /// Returns when the head has arrived; the chunks follow on demand, with back-pressure to the server.
    case stream
    /// Writes the content to a file as it arrives; a failed exchange leaves no file behind.
    ///
    /// Only the content of a 2xx response goes to the file; any other is collected, so that its error can be read.
    /// `CurlTransport` drops an error's content that takes longer than ten seconds.
    case file(URL)
    /// Reads the content to its end and discards it as it arrives, whatever its size; the response has no bytes.
    ///
    /// Only the content of a 2xx response is discarded; any other is collected, so that its error can be read.
    case discard
    /// Asks for another protocol on the same connection, and returns the connection with a response of status 101.
    ///
    /// It needs `TransportCapabilities.duplex`, HTTP/1.1 and the fields `Connection: Upgrade` and `Upgrade`, which the
    /// request carries. A response of any other status has its content collected. The limits ``Timeouts/idle`` and
    /// ``Timeouts/total`` end with the head: then the holder of the connection decides when it ends.
    case duplex

    /// Collects up to 64 MiB.
    public static let collect = ResponseDelivery.collect(limit: 64 << 20)
}

extension ResponseDelivery {
    /// Whether the response is complete when it is returned, so that it can be read more than once.
    package var isCollected: Bool {
        switch self {
        case .collect, .discard: true
        case .stream, .file, .duplex: false
        }
    }

    /// Whether the content goes to a file, which two requests must not write at once.
    package var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
