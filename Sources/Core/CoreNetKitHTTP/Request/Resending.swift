/// When a request may be sent again: the one rule for transports, retries, hedges and redirects.
///
/// A request whose body can be replayed may be sent again when the server cannot have acted on it, or when acting twice
/// has the same effect as acting once: its method is idempotent, or it carries an `Idempotency-Key` that makes the
/// server recognise it.
/// - SeeAlso: [RFC 9110, 9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)
public enum Resending {
    /// What is known about the earlier attempt.
    public enum Evidence: Sendable, Hashable {
        /// The server cannot have acted on the request: it was never sent, or the server refused its stream unread.
        case unseen
        /// The server may have acted on the request, or is acting on it now.
        case perhapsSeen
    }

    /// Whether a request may be sent again.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent, or is being sent.
    ///   - evidence: What is known about the earlier attempt.
    /// - Returns: `false` if the server could act twice, or if the body cannot be replayed.
    public static func isAllowed(_ request: TransportRequest, after evidence: Evidence) -> Bool {
        request.body.isReplayable && (evidence == .unseen || isIdempotent(request))
    }

    /// Whether a request may be sent again after a failure.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent.
    ///   - error: The failure.
    /// - Returns: `false` if the server could act twice, or if the body cannot be replayed.
    public static func isAllowed(_ request: TransportRequest, after error: TransportError) -> Bool {
        isAllowed(request, after: error.isSafeToResend ? .unseen : .perhapsSeen)
    }

    /// Whether sending a request twice has the same effect as sending it once.
    ///
    /// - Parameter request: The request.
    /// - Returns: `true` for an idempotent method, and for any method with an `Idempotency-Key` that is not empty.
    public static func isIdempotent(_ request: TransportRequest) -> Bool {
        if request.method.isIdempotent { return true }
        guard let key = request.headers["Idempotency-Key"] else { return false }
        return !FieldCheck.isBlank(key)
    }
}
