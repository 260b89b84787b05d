public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Why a call has no result: the one error type of the framework.
///
/// ``code`` says what went wrong and is meant to be switched on, ``node`` names the node that found out,
/// ``phase`` the part of the exchange that was running. Cancellation is never a `NetworkError`.
public struct NetworkError: Error, Sendable {
    /// The class of failure.
    public var code: Code
    /// One line fit for a log: what, where and what to do; without secrets and without bodies.
    public var message: String
    /// The stable id of the node that found out.
    public var node: NodeID
    /// The part of the exchange that was running, where the failure is the wire's.
    public var phase: TransportError.Phase?
    /// The response that was refused or could not be read, where there is one.
    public var response: FailedResponse?
    /// Which try of the call failed, counted from 1.
    public var attempt: Int
    /// Whether a later try may succeed and cannot do harm by itself; the method decides the rest.
    public var isRetryable: Bool
    /// Whether the server cannot have acted on the request.
    public var isSafeToResend: Bool
    /// The error behind this one.
    public var cause: (any Error)?
    /// What the failed exchange did on the wire, where it got that far.
    public var timings: TransportTimings?
    /// How long to wait before another try makes sense, where a policy of this side knows.
    public var retryAfter: Duration?
    /// How the earlier attempts of the call failed, the first one first.
    public var history: [NetworkError] = []

    /// Creates an error, for nodes and services of one's own.
    ///
    /// - Parameters:
    ///   - code: The class of failure.
    ///   - message: One line: what, where and what to do; without secrets.
    ///   - node: The node that found out.
    ///   - response: The response that was refused or could not be read.
    ///   - cause: The error behind this one.
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
        self.isRetryable = response.map { TransientStatus.mayPass($0.status) } ?? false
        self.isSafeToResend = false
        self.cause = cause
    }
}

extension NetworkError {
    /// The HTTP status of the refused response.
    public var status: Int? { response?.status }
}

extension NetworkError: CustomStringConvertible {
    /// One line fit for a log.
    public var description: String {
        let tries = attempt > 1 ? " (attempt \(attempt))" : ""
        return "\(code) in \(node)\(tries): \(message)"
    }
}

extension NetworkError: LocalizedError {
    /// The message alone.
    public var errorDescription: String? { message }
}

extension NetworkError {
    /// The former name of ``node``.
    @available(*, deprecated, renamed: "node")
    public var stage: NodeID {
        get { node }
        set { node = newValue }
    }

    /// Creates an error, with the former label of its node.
    @available(*, deprecated, renamed: "init(_:_:node:response:cause:)")
    public init(
        _ code: Code,
        _ message: String,
        stage: NodeID,
        response: FailedResponse? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(code, message, node: stage, response: response, cause: cause)
    }
}
