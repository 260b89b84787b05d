import CoreNetKitEssentials
import CoreNetKitSystem
package import CoreNetKitHTTP

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
