public import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitOutbox

/// An error of an alarm call, with the server's message.
///
/// Cancellation is never an `AlarmError`.
public struct AlarmError: Error, Sendable {
    /// A class of failure: an open set; any version may add new codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        private init(_ name: String) { description = name }

        /// The alarm does not exist: it is not in the list, or the status is 404.
        public static let notFound = Code("notFound")
        /// The action is incomplete; nothing was sent.
        public static let invalidRequest = Code("invalidRequest")
        /// The link of the alarm exceeds the length limit.
        public static let invalidLink = Code("invalidLink")
        /// The list was closed; nothing was sent.
        public static let closed = Code("closed")
        /// The login that the list belongs to has ended: another user has signed in, or the same one again after a logout;
        /// nothing was sent.
        public static let sessionEnded = Code("sessionEnded")
        /// The user must sign in: status 401 or 403.
        public static let unauthorized = Code("unauthorized")
        /// The server's state is newer than the app's: status 409.
        public static let stale = Code("stale")
        /// The server rejected the request: any other 4xx, or an error in a response of status 200.
        public static let rejected = Code("rejected")
        /// The response is not in the agreed format.
        public static let invalidResponse = Code("invalidResponse")
        /// There is no response, or the server is unavailable: 408, 429, 5xx; a later attempt may succeed.
        public static let unavailable = Code("unavailable")
    }

    /// The class of failure; switch on it.
    public let code: Code
    /// One line: the server's message, if it sent one.
    public let message: String
    /// The server's own code, such as `missing_seq`, if it sent one.
    public let serverCode: String?
    /// The underlying network error; `nil` if nothing was sent.
    public let network: NetworkError?

    init(_ code: Code, _ message: String, serverCode: String? = nil, network: NetworkError? = nil) {
        (self.code, self.message, self.serverCode, self.network) = (code, message, serverCode, network)
    }

    /// The HTTP status of the response, if there was one.
    public var status: Int? { network?.status }
}

extension AlarmError: CustomStringConvertible {
    /// One line for a log.
    public var description: String { "\(code)\(serverCode.map { " (\($0))" } ?? ""): \(message)" }
}

extension AlarmError {
    /// Converts any error of a call to the service's own; cancellation stays as it is.
    static func wrapping(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError, is AlarmError: return error
        case let error as NetworkError:
            if let own = error.cause as? AlarmError {
                return AlarmError(own.code, own.message, serverCode: own.serverCode, network: error)
            }
            let said = error.response.flatMap { try? Json(parsing: $0.body) }.flatMap(refusal)
            return AlarmError(code(of: error), said?.message ?? error.message, serverCode: said?.code, network: error)
        default: return AlarmError(.unavailable, "\(error)")
        }
    }

    /// Returns the content; throws if a response of status 200 contains an error.
    static func checked(_ raw: Json) throws -> Json {
        let raw = try raw.parsed()
        guard let said = refusal(raw) else { return raw }
        throw AlarmError(.rejected, said.message ?? "no reason given", serverCode: said.code)
    }

    /// The code and message of an error response; `nil` for any other body.
    private static func refusal(_ raw: Json) -> (code: String?, message: String?)? {
        let error = raw["error"].flatMap { $0.isNull ? Json?.none : $0 }
        guard error != nil || raw["result"]?.tolerantBool == false else { return nil }
        let code = error?["code"] ?? raw["code"]
        let message = error?["message"]?.string ?? error?.string ?? raw["message"]?.string
        return (code.flatMap { $0.string ?? $0.number }, message)
    }

    private static func code(of error: NetworkError) -> Code {
        if let refusal = error.refusal { return code(ofStatus: refusal.status) }
        return switch error.code {
        case .decodingFailed, .emptyBody, .invalidResponse, .responseTooLarge, .decompressionFailed: .invalidResponse
        case .missingRoute, .invalidURL, .invalidRequest, .unsupportedValue, .encodingFailed, .invalidChain:
            .invalidRequest
        case .tokenRefreshFailed: .unauthorized
        default: .unavailable
        }
    }

    private static func code(ofStatus status: Int) -> Code {
        switch status {
        case 401, 403: .unauthorized
        case 404: .notFound
        case 409: .stale
        case _ where TransientStatus.isTransient(status): .unavailable
        case 400...499: .rejected
        default: .unavailable
        }
    }

    /// The error of an action that the outbox abandoned, with its entry if that is kept as a dead letter.
    static func givenUp(_ error: OutboxError, _ entry: OutboxEntry?) -> AlarmError {
        AlarmError(entry?.lastStatus.map { code(ofStatus: $0) } ?? .unavailable, error.message)
    }
}
