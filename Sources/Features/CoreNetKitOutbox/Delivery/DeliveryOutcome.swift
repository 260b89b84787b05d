import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The end of one attempt, reduced to what the next step depends on.
enum DeliveryOutcome: Hashable, Sendable {
    /// A response, whatever its status.
    case response(status: Int, retryAfter: Duration?, contentType: String?)
    /// Nothing was sent: name resolution, the connection or the server's certificate failed.
    case noConnection(String)
    /// Nothing was sent, because of a local limit or circuit breaker.
    case heldBack(String, retryAfter: Duration?)
    /// There is no token, and none is available.
    case unauthorized(String)
    /// The request may have been executed: the connection or the time ended after it was sent.
    case unknown(String)
    /// The request cannot be put on a wire.
    case invalid(String)
    /// A response arrived but could not be read; a repetition would give the same.
    case unreadable(String)

    init(_ response: TransportResponse, now: Date) {
        self = .response(
            status: response.status,
            retryAfter: RetryAfter.wait(of: response.headers) { now },
            contentType: response.headers["Content-Type"]
        )
    }

    /// The outcome of an attempt that ended without a response.
    init(_ error: TransportError) {
        let text = "\(error.code) in \(error.phase.rawValue)"
        switch error.code {
        case .invalidRequest, .unsupported, .bodyLengthMismatch: self = .invalid(text)
        case .requestBodyFailed where error.isSafeToResend: self = .invalid(text)
        case .responseTooLarge, .decompressionFailed, .fileFailed: self = .unreadable(text)
        default: self = error.isSafeToResend ? .noConnection(text) : .unknown(text)
        }
    }
}
