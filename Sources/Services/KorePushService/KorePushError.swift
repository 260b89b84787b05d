public import CoreNetKit
public import CoreNetKitEssentials
import CoreNetKitHTTP
import PushRegistration

/// An error of a subscription call.
///
/// ``description`` is safe to log. The server's message is only in ``serverMessage``: it may repeat request data.
public struct KorePushError: Error, Sendable {
    /// The class of failure; switch on it.
    public let code: Code
    /// One line: what happened and where; without secrets.
    public let message: String
    /// The server's own code, if it sent one.
    public let serverCode: String?
    /// The server's own message, if it sent one; show it to developers, but do not log it.
    public let serverMessage: String?
    /// The underlying error: a `NetworkError` if a request was made.
    public let cause: (any Error)?
    private let knownStatus: Int?

    init(
        _ code: Code,
        _ message: String,
        serverCode: String? = nil,
        serverMessage: String? = nil,
        knownStatus: Int? = nil,
        cause: (any Error)? = nil
    ) {
        (self.knownStatus, self.code, self.message) = (knownStatus, code, message)
        (self.serverCode, self.serverMessage, self.cause) = (serverCode, serverMessage, cause)
    }

    /// The chain's error, if a request was made: phase, attempt, status, headers, history.
    public var network: NetworkError? { cause as? NetworkError }

    /// The HTTP status of the response, if there was one.
    public var status: Int? { network?.status ?? knownStatus }

    /// A class of failure: an open set; any version may add new codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        private init(_ name: String) { description = name }

        /// A function of `KorePushServiceDocumentNames` was called before `HTTPRequestManager.configure`.
        public static let notConfigured = Code("notConfigured")
        /// The server's URL has no host, or is neither http nor https.
        public static let invalidServer = Code("invalidServer")
        /// The server's URL is plain http and not on this machine.
        public static let insecureServer = Code("insecureServer")

        /// The device token is `nil`.
        public static let missingDeviceToken = Code("missingDeviceToken")
        /// The device token is empty.
        public static let invalidDeviceToken = Code("invalidDeviceToken")
        /// The text is not hex: it has an odd length, or is the description of a `Data`.
        public static let unconvertibleDeviceToken = Code("unconvertibleDeviceToken")
        /// The user id is blank.
        public static let missingUserID = Code("missingUserID")
        /// The user id cannot be a path segment.
        public static let invalidUserID = Code("invalidUserID")

        /// There is no access token to send.
        public static let missingAuthorization = Code("missingAuthorization")
        /// The access token has expired, and could not be renewed.
        public static let tokenExpired = Code("tokenExpired")
        /// The server refuses the access token, even after a renewal (401).
        public static let unauthorized = Code("unauthorized")
        /// The renewal of the access token failed.
        public static let tokenRefreshFailed = Code("tokenRefreshFailed")
        /// The user may not do this (403).
        public static let forbidden = Code("forbidden")

        /// The user is unknown (404).
        public static let notFound = Code("notFound")
        /// The server does not accept the device or the request (400, 422).
        public static let badRequest = Code("badRequest")
        /// The server refuses with a success status: `status` or `success` is false, or there is an error object.
        public static let rejected = Code("rejected")
        /// There were too many requests (429).
        public static let tooManyRequests = Code("tooManyRequests")
        /// The server failed (5xx except 502, 503 and 504).
        public static let serverError = Code("serverError")
        /// The status is not defined by the protocol.
        public static let unexpectedStatus = Code("unexpectedStatus")

        /// A time limit was reached.
        public static let timedOut = Code("timedOut")
        /// There is no connection, it was lost, or the status is 502, 503 or 504.
        public static let serverUnavailable = Code("serverUnavailable")
        /// The response is not JSON, or not in the protocol's form.
        public static let invalidResponse = Code("invalidResponse")
        /// Any other failure of the exchange: TLS, a request that cannot be sent.
        public static let networkFailed = Code("networkFailed")

        /// The store failed; nothing was sent.
        public static let storeFailed = Code("storeFailed")
        /// A later call has set another state for the same device; nothing was sent.
        public static let superseded = Code("superseded")
    }
}

extension KorePushError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// One line that is safe to log, without the server's message.
    public var description: String {
        let details = [status.map { "status \($0)" }, serverCode.map { "server code \($0.prefix(40))" }]
            .compactMap(\.self)
        return "\(code): \(message)" + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension KorePushError {
    /// Converts a call's error to this type; cancellation stays as it is.
    static func wrapping(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError, is KorePushError: return error
        case let error as PushStoreError:
            return error.cause as? KorePushError ?? KorePushError(.storeFailed, "the store failed", cause: error.cause)
        case let error as NetworkError:
            if let refusal = error.cause as? KorePushError, error.code != .tokenRefreshFailed {
                return KorePushError(
                    refusal.code,
                    refusal.message,
                    serverCode: refusal.serverCode,
                    serverMessage: refusal.serverMessage,
                    knownStatus: refusal.knownStatus,
                    cause: error
                )
            }
            let reply = error.response.flatMap { try? KoreReply.from(raw: Json(parsing: $0.body)) }
            return KorePushError(
                code(of: error, serverCode: reply?.errorCode),
                "\(error.code) in \(error.node): \(error.message)",
                serverCode: reply?.errorCode,
                serverMessage: reply?.message,
                cause: error
            )
        default: return KorePushError(.networkFailed, "a step of the call failed", cause: error)
        }
    }

    private static func code(of error: NetworkError, serverCode: String?) -> Code {
        switch error.code {
        case .timedOut, .deadlineExceeded: .timedOut
        case .cannotResolveHost, .cannotConnect, .proxyFailed, .connectionLost, .http2Failed: .serverUnavailable
        case .emptyBody, .decodingFailed, .invalidResponse, .responseTooLarge, .decompressionFailed: .invalidResponse
        case .tokenRefreshFailed: .tokenRefreshFailed
        default: error.refusal.map { code(ofStatus: $0.status, serverCode: serverCode) } ?? .networkFailed
        }
    }

    private static func code(ofStatus status: Int, serverCode: String?) -> Code {
        switch status {
        case 401: serverCode?.lowercased().contains("expired") == true ? .tokenExpired : .unauthorized
        case 403: .forbidden
        case 404: .notFound
        case 400, 422: .badRequest
        case 429: .tooManyRequests
        case 501... where TransientStatus.isTransient(status): .serverUnavailable
        case 500...: .serverError
        default: .unexpectedStatus
        }
    }

    package static let notConfigured = KorePushError(
        .notConfigured,
        "call HTTPRequestManager.sharedManager.configure first"
    )
}
