public import CoreNetKitEssentials

/// How a transport hands over the response's content.
public enum ResponseDelivery: Sendable, Hashable {
    /// Collects the content; more than `limit` bytes after decompression fail with `responseTooLarge`.
    case collect(limit: Int)
    /// Returns when the head is there; the chunks follow as they are asked for, with back-pressure to the server.
    case stream
    /// Writes the content to a file as it comes; a failed exchange leaves no file behind.
    ///
    /// Only the content of a 2xx response goes to the file; any other is collected, so that its error can be read.
    case file(URL)
    /// Reads the content to its end and drops it as it comes, whatever its size; the response has no bytes.
    ///
    /// Only the content of a 2xx response is dropped; any other is collected, so that its error can be read.
    case discard
    /// Asks for another protocol on the same connection, and hands the connection over with a response of status 101.
    ///
    /// It needs `TransportCapabilities.duplex`, HTTP/1.1 and the fields `Connection: Upgrade` and `Upgrade`, which the
    /// request carries. A response of any other status has its content collected. The limits ``Timeouts/idle`` and
    /// ``Timeouts/total`` end with the head: how long the connection lives is for whoever has it.
    case duplex

    /// Collects up to 64 MiB.
    public static let collect = ResponseDelivery.collect(limit: 64 << 20)
}

extension ResponseDelivery {
    /// Whether the response is whole when it is handed over, so that it can be read more than once.
    package var isCollected: Bool {
        switch self {
        case .collect, .discard: true
        case .stream, .file, .duplex: false
        }
    }

    /// Whether the content goes to a file, which two requests must not write.
    package var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
