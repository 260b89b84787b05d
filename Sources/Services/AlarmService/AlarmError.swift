public import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitOutbox

/// Why something with alarms failed; keeps what the server said.
///
/// Cancellation is never an `AlarmError`.
public struct AlarmError: Error, Sendable {
    /// A class of failure: an open set, new codes may come with any version.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        private init(_ name: String) { description = name }

        /// The alarm is not there: not in the list, or status 404.
        public static let notFound = Code("notFound")
        /// The action lacks what it needs; nothing was sent.
        public static let invalidRequest = Code("invalidRequest")
        /// The link of the alarm is longer than any link is.
        public static let invalidLink = Code("invalidLink")
        /// The list was closed; nothing was sent.
        public static let closed = Code("closed")
        /// The login that the list belongs to is over: another user has signed in, or the same one again after a logout;
        /// nothing was sent.
        public static let sessionEnded = Code("sessionEnded")
        /// The user must sign in: status 401 or 403.
        public static let unauthorized = Code("unauthorized")
        /// The server's state is newer than the app's: status 409.
        public static let stale = Code("stale")
        /// The server refused otherwise: any other 4xx, or an error in a response of status 200.
        public static let rejected = Code("rejected")
        /// The response is not what was agreed.
        public static let invalidResponse = Code("invalidResponse")
        /// No response, or the server is unavailable: 408, 429, 5xx; a later attempt may succeed.
        public static let unavailable = Code("unavailable")
    }

    /// The class of failure; switch on it.
    public let code: Code
    /// One line: the server's message where there is one.
    public let message: String
    /// The server's own code, such as `missing_seq`, where it gave one.
    public let serverCode: String?
    /// What the framework says about it; `nil` when nothing was sent.
    public let network: NetworkError?

    init(_ code: Code, _ message: String, serverCode: String? = nil, network: NetworkError? = nil) {
        self.code = code
        self.message = message
        self.serverCode = serverCode
        self.network = network
    }

    /// The HTTP status of the response, where there was one.
    public var status: Int? { network?.status }
}

extension AlarmError: CustomStringConvertible {
    /// One line fit for a log.
    public var description: String { "\(code)\(serverCode.map { " (\($0))" } ?? ""): \(message)" }
}

extension AlarmError {
    /// Any error of a call as the service's own; cancellation stays what it is.
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

    /// The content, unless it is an error in a response of status 200.
    static func checked(_ raw: Json) throws -> Json {
        let raw = try raw.parsed()
        guard let said = refusal(raw) else { return raw }
        throw AlarmError(.rejected, said.message ?? "no reason given", serverCode: said.code)
    }

    /// What a body says about a refusal; `nil` when it is none.
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
        case _ where TransientStatus.mayPass(status): .unavailable
        case 400...499: .rejected
        default: .unavailable
        }
    }

    /// What an action that the outbox gave up failed with.
    ///
    /// - Parameters:
    ///   - error: Why there is no response.
    ///   - entry: The entry, where it is kept for somebody to decide.
    /// - Returns: The error.
    static func givenUp(_ error: OutboxError, _ entry: OutboxEntry?) -> AlarmError {
        AlarmError(entry?.lastStatus.map { code(ofStatus: $0) } ?? .unavailable, error.message)
    }
}
