package import CoreNetKitHTTP

/// Why bytes are not a complete HTTP/1.1 message, as ``message`` says; after each fault the connection is closed.
package enum WireFault: Error, Hashable, Sendable {
    case startLine, version, fieldName, fieldValue, folding, contentLength, transferCoding, chunkSize, chunkEnd
    case tooLarge, unaskedUpgrade, noResponse, cutHead, cutContent

    package var code: TransportError.Code {
        switch self {
        case .noResponse, .cutHead, .cutContent: .connectionLost
        default: .invalidResponse
        }
    }

    /// The violation, without a byte of the message.
    package var message: String {
        switch self {
        case .startLine: "the first line is not a status line of HTTP/1 (RFC 9112, 4)"
        case .version: "the version in the status line is not HTTP/1.x (RFC 9112, 2.3)"
        case .fieldName: "a header line has no valid name before its colon (RFC 9112, 5)"
        case .fieldValue: "a header value has a control character (RFC 9110, 5.5)"
        case .folding: "a folded header line that cannot be joined to the one before it (RFC 9112, 5.2)"
        case .contentLength: "Content-Length is not a number, or gives different lengths (RFC 9112, 6.3)"
        case .transferCoding: "a transfer coding that was not requested (RFC 9112, 6.1)"
        case .chunkSize: "the size of a chunk is not a number on a line of its own (RFC 9112, 7.1)"
        case .chunkEnd: "a chunk is longer than its size says (RFC 9112, 7.1)"
        case .tooLarge: "the head, or the lines around chunks, are larger than is accepted"
        case .unaskedUpgrade: "the protocol was switched without a request (RFC 9110, 15.2.2)"
        case .noResponse: "the connection was closed before a response arrived"
        case .cutHead: "the connection was closed within the head of the response"
        case .cutContent: "the connection was closed before the content was complete"
        }
    }
}

/// How much of a message besides its content is accepted.
package struct WireLimits: Hashable, Sendable {
    /// Bytes of all heads of a response, including interim ones, and the same again for its trailers.
    package var head = 1 << 20
    /// Field lines of one head.
    package var fields = 16_384
    /// Bytes of a line with a chunk's size and extensions.
    package var chunkLine = 4_096
    /// Bytes of the extensions of all chunks (RFC 9112, 7.1.1).
    package var chunkExtensions = 64 << 10

    package init() {}
}
