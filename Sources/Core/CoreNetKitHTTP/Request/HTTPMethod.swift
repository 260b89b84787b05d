/// An HTTP request method: a case-sensitive token.
///
/// The methods of RFC 9110 and `PATCH` have names; any other token can be written as a literal, `"REPORT"`.
/// - SeeAlso: [RFC 9110, 9](https://www.rfc-editor.org/rfc/rfc9110#section-9)
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The token as it is written on the wire.
    public let rawValue: String

    /// Creates a method from its token; a transport rejects text that is not a token of RFC 9110.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from a literal token.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The token as it is written on the wire.
    public var description: String { rawValue }

    /// Transfers a representation of the resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// The same as GET without the content.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Processes the content as the resource decides.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the resource.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Removes the resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Opens a tunnel; transports reject it as a request.
    public static let connect = HTTPMethod(rawValue: "CONNECT")
    /// Describes the communication options.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Loops the message back.
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// Changes the resource in part ([RFC 5789](https://www.rfc-editor.org/rfc/rfc5789)).
    public static let patch = HTTPMethod(rawValue: "PATCH")

    /// Whether the method is safe: it only reads (RFC 9110, 9.2.1).
    ///
    /// A method that IANA has not registered is not.
    public var isSafe: Bool { self == .get || self != .post && HTTPMethod.safe.contains(rawValue) }

    /// Whether sending it twice has the same effect as sending it once (RFC 9110, 9.2.2).
    public var isIdempotent: Bool { self == .get || self != .post && HTTPMethod.idempotent.contains(rawValue) }

    // The registry's table: https://www.iana.org/assignments/http-methods
    private static let safe: Set<String> = [
        "GET", "HEAD", "OPTIONS", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH", "TRACE",
    ]

    private static let idempotent = safe.union([
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE", "LABEL", "LINK", "MERGE",
        "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPPATCH", "PUT",
        "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ])
}

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
        case unprocessed
        /// The server may have acted on the request, or is acting on it now.
        case possiblyProcessed
    }

    /// Whether a request may be sent again: not if the server could act twice, or if the body cannot be replayed.
    public static func isAllowed(_ request: TransportRequest, after evidence: Evidence) -> Bool {
        request.body.isReplayable && (evidence == .unprocessed || isIdempotent(request))
    }

    /// Whether a request may be sent again after a failure.
    public static func isAllowed(_ request: TransportRequest, after error: TransportError) -> Bool {
        isAllowed(request, after: error.isSafeToResend ? .unprocessed : .possiblyProcessed)
    }

    /// Whether a request has an idempotent method, or an `Idempotency-Key` that is not empty.
    public static func isIdempotent(_ request: TransportRequest) -> Bool {
        if request.method.isIdempotent { return true }
        guard let key = request.headers["Idempotency-Key"] else { return false }
        return !FieldCheck.isBlank(key)
    }
}
