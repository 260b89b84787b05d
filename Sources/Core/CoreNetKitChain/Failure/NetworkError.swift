public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// Why a call has no result: the one error type of the framework.
///
/// ``code`` says what went wrong and is meant to be switched on, ``node`` names the node that detected it, ``phase``
/// the part of the exchange that was running. Cancellation is never a `NetworkError`.
public struct NetworkError: Error, Sendable {
    /// The class of failure.
    public var code: Code
    /// One line fit for a log: what failed, where, and what to do; without secrets, and without bodies except for title and
    /// detail of a server's problem details (RFC 9457).
    public var message: String
    /// The stable id of the node that detected the failure.
    public var node: NodeID
    /// The part of the exchange that was running, for failures of the wire.
    public var phase: TransportError.Phase?
    /// The response that was rejected, could not be decoded or failed after its head, if there is one.
    public var response: FailedResponse?
    /// The number of the attempt that failed, counted from 1.
    public var attempt: Int
    /// Whether a later attempt may succeed; whether repeating is safe also depends on the method.
    public var isRetryable: Bool
    /// Whether the server cannot have acted on the request.
    public var isSafeToResend: Bool
    /// The underlying error.
    public var cause: (any Error)?
    /// The timings of the failed exchange, if it got that far.
    public var timings: TransportTimings?
    /// How long to wait before another attempt makes sense, if a policy of this client knows.
    public var retryAfter: Duration?
    /// How the earlier attempts of the call failed, in order.
    public var history: [NetworkError] = []

    /// Creates an error, for your own nodes and services.
    public init(
        _ code: Code,
        _ message: String,
        node: NodeID,
        response: FailedResponse? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.node = node
        self.response = response
        self.attempt = 1
        self.isRetryable = response.map { TransientStatus.isTransient($0.status) } ?? false
        self.isSafeToResend = false
        self.cause = cause
    }

    /// The error of a call whose wait in a queue ended unsuccessfully: its request was not sent.
    package static func queued(
        _ code: Code,
        _ message: String,
        node: NodeID,
        retryAfter: Duration? = nil
    ) -> NetworkError {
        var error = NetworkError(code, message, node: node)
        error.phase = .queue
        error.retryAfter = retryAfter
        return error
    }

    /// A copy for an attempt; only this function sets the number.
    ///
    /// Nodes inside retry need not know the number, because retry sets it for all of them. Failures outside retry set it
    /// themselves: decoding, which knows the attempt of its response, and content that is read after the call.
    package func of(attempt: Int) -> NetworkError {
        var copy = self
        copy.attempt = attempt
        return copy
    }

    /// The HTTP status, if a head arrived; it is 200...299 for content that failed or could not be decoded.
    public var status: Int? { response?.status }

    /// The response with which the server refused the request: one with a status outside 200...299.
    public var refusal: FailedResponse? {
        guard let response, !(200...299).contains(response.status) else { return nil }
        return response
    }
}

extension NetworkError: CustomStringConvertible, LocalizedError {
    /// One line fit for a log, with secrets of foreign messages removed; it ends in the response's content if the client logs
    /// contents, see ``PolicyHolder/log(contents:)``.
    public var description: String {
        let tries = attempt > 1 ? " (attempt \(attempt))" : ""
        return "\(code) in \(node)\(tries): \(shownMessage)\(shownContent)"
    }

    /// The content of the response as the end of a line; empty unless the client logs contents.
    var shownContent: String { response?.loggedContent.map { "; content: \($0)" } ?? "" }

    private var shownMessage: String { Redaction.message(message, by: response?.secrets ?? .standard) }

    /// The message alone, without secrets.
    public var errorDescription: String? { shownMessage }
}

extension NetworkError {
    /// The error of an exchange, with the wire's phase and timings, and the response if its head arrived.
    package init(_ error: TransportError, node: NodeID) {
        let response = error.response.map { FailedResponse($0) }
        self.init(Code(transport: error.code), error.message, node: node, response: response, cause: error)
        phase = error.phase
        timings = error.timings
        isSafeToResend = error.isSafeToResend
        isRetryable = Self.transientCodes.contains(error.code)
    }

    /// Failures that may not recur at the next attempt.
    private static let transientCodes: Set<TransportError.Code> = [
        .cannotResolveHost, .cannotConnect, .proxyFailed, .timedOut, .connectionLost, .http2Failed,
    ]

    /// Converts any error to a `NetworkError`: one of this type is returned unchanged, others become the cause of one.
    ///
    /// The message of a foreign error is redacted by the call's rules.
    /// - Returns: `nil` for `CancellationError`, which is not an error value.
    package static func wrapping(
        _ error: any Error,
        node: NodeID,
        code: Code = .nodeFailed,
        by secrets: SecretRules = .standard
    ) -> NetworkError? {
        switch error {
        case is CancellationError: nil
        case let error as NetworkError: error
        case let error as TransportError: NetworkError(error, node: node)
        default: NetworkError(code, Redaction.message(message(of: error), by: secrets), node: node, cause: error)
        }
    }

    /// Avoids the text of an encoding error, which contains the value, possibly a whole model with its secrets.
    private static func message(of error: any Error) -> String {
        guard case EncodingError.invalidValue(let value, let context)? = error as? EncodingError else {
            return "\(error)"
        }
        let path = context.codingPath.jsonPath
        return (path.isEmpty ? "" : path + ": ") + "\(type(of: value)) cannot be encoded as JSON"
    }

    /// Runs a step, and converts its errors to `NetworkError`.
    package static func mapping<Result>(
        to code: Code,
        node: @autoclosure () -> NodeID,
        _ step: () throws -> Result
    ) throws -> Result {
        do {
            return try step()
        } catch {
            throw wrapping(error, node: node(), code: code) ?? error
        }
    }
}
