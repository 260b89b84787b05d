/// Why an exchange had no response, or a response could not be read to its end.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The request cannot be sent: URL, method, field or timeout is not valid.
        public static let invalidRequest = Code("invalidRequest")
        /// The transport lacks the capability that the request needs.
        public static let unsupported = Code("unsupported")
        /// The host name is unknown, or the name service did not respond.
        public static let cannotResolveHost = Code("cannotResolveHost")
        /// No connection: refused, unreachable.
        public static let cannotConnect = Code("cannotConnect")
        /// The proxy rejected the connection or failed.
        public static let proxyFailed = Code("proxyFailed")
        /// A limit of ``Timeouts`` was reached; the phase says which part was running.
        public static let timedOut = Code("timedOut")
        /// The connection ended before the response was complete.
        public static let connectionLost = Code("connectionLost")
        /// The server's response is not valid HTTP.
        public static let invalidResponse = Code("invalidResponse")
        /// The content is larger than the limit of the delivery, or expands beyond the decompression guard.
        public static let responseTooLarge = Code("responseTooLarge")
        /// The content does not decompress.
        public static let decompressionFailed = Code("decompressionFailed")
        /// The request body had more or fewer bytes than its declared length.
        public static let bodyLengthMismatch = Code("bodyLengthMismatch")
        /// The request body's sequence or file failed while it was read.
        public static let requestBodyFailed = Code("requestBodyFailed")
        /// The response could not be written to its file.
        public static let fileFailed = Code("fileFailed")
        /// The server's certificate has expired or is not valid yet.
        public static let certificateExpired = Code("certificateExpired")
        /// The server's certificate is for another host.
        public static let certificateWrongHost = Code("certificateWrongHost")
        /// The server's certificate has no trusted issuer.
        public static let certificateUntrusted = Code("certificateUntrusted")
        /// The server's certificate was revoked.
        public static let certificateRevoked = Code("certificateRevoked")
        /// The server requires a client certificate, or another one.
        public static let clientCertificateRejected = Code("clientCertificateRejected")
        /// The server's public key does not match a pinned one.
        public static let pinMismatch = Code("pinMismatch")
        /// TLS failed otherwise: no common version or cipher, a broken handshake.
        public static let tlsFailed = Code("tlsFailed")
        /// HTTP/2 framing failed, or the server reset the stream.
        public static let http2Failed = Code("http2Failed")
        /// Too many requests already wait for a connection; this one was not sent.
        public static let queueFull = Code("queueFull")
        /// The transport was shut down.
        public static let shutDown = Code("shutDown")
        /// Anything else; the message has the transport's own text.
        public static let failed = Code("failed")

        /// The code's name.
        public var description: String { name }
    }

    /// The part of an exchange that was running.
    public enum Phase: String, Sendable, Hashable {
        /// Before anything was sent: checks, waiting for a connection.
        case queue
        /// Name look-up.
        case resolve
        /// TCP connect, with a proxy's handshake.
        case connect
        /// TLS handshake.
        case tls
        /// Writing the request.
        case send
        /// Waiting for the first byte of the response.
        case wait
        /// Reading the response.
        case receive
    }

    /// The class of failure.
    public var code: Code
    /// The part of the exchange that was running.
    public var phase: Phase
    /// One line: the failure, its place and the remedy; without secrets.
    public var message: String
    /// The timings up to the failure.
    public var timings: TransportTimings
    /// Whether the server cannot have acted on the request, so that sending it again is safe for every method.
    public var isSafeToResend: Bool
    /// The response whose content failed: its head, and the content so far, as far as it could be decoded.
    ///
    /// `nil` without a head. Errors of a stream have none: its reader has the head.
    public var response: TransportResponse?
    /// Whether the call's own time limit has passed, which ends the call.
    package var endsCall = false

    /// Creates an error, for transports and mocks.
    public init(
        _ code: Code,
        phase: Phase,
        message: String,
        timings: TransportTimings = .init(),
        isSafeToResend: Bool? = nil
    ) {
        (self.code, self.phase, self.message, self.timings) = (code, phase, message, timings)
        self.isSafeToResend = isSafeToResend ?? phase.isBeforeSending
    }

    /// One line fit for a log.
    public var description: String { "\(code) while in \(phase.rawValue): \(message)" }

    package static func tooLarge(limit: Int) -> TransportError {
        let message = "the content is larger than \(limit) bytes; raise the limit, or stream it"
        return TransportError(.responseTooLarge, phase: .receive, message: message)
    }
}
