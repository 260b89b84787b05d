public import CoreNetKit

/// Why something with alarms failed; keeps what the server said.
///
/// Cancellation is never an `AlarmError`.
public struct AlarmError: Error, Sendable, CustomStringConvertible {
    /// The class of failure.
    public enum Kind: Sendable, Hashable {
        /// The alarm is not there: not in the list, or status 404.
        case notFound
        /// The action lacks what it needs; nothing was sent.
        case invalidRequest
        /// The user must sign in: status 401 or 403.
        case unauthorized
        /// The server's state is newer than the app's: status 409.
        case stale
        /// The server refused otherwise: any other 4xx, or an error in a response of status 200.
        case rejected
        /// The response is not what was agreed.
        case invalidResponse
        /// No response, or the server cannot answer now: 408, 429, 5xx; a later try may succeed.
        case unavailable
    }

    /// The class of failure.
    public let kind: Kind
    /// The server's code for it, such as `missing_seq`.
    public let code: String?
    /// One line: the server's message where there is one.
    public let message: String
    /// What the framework says about it; `nil` when nothing was sent.
    public let network: NetworkError?

    init(_ kind: Kind, _ message: String, code: String? = nil, network: NetworkError? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        self.network = network
    }

    /// Takes any error of a call; one of a model is found behind the framework's.
    init(_ error: any Error) {
        switch error {
        case let error as AlarmError: self = error
        case let error as NetworkError:
            if let own = error.cause as? AlarmError {
                self.init(own.kind, own.message, code: own.code, network: error)
            } else {
                let said = error.response.flatMap { try? Json(parsing: $0.body) }.flatMap(Self.refusal)
                self.init(Kind(error), said?.message ?? error.message, code: said?.code, network: error)
            }
        default: self.init(.unavailable, "\(error)")
        }
    }

    /// One line fit for a log.
    public var description: String { "\(kind)\(code.map { " (\($0))" } ?? ""): \(message)" }

    /// The content, unless it is an error in a response of status 200.
    static func checked(_ raw: Json) throws -> Json {
        let raw = try raw.parsed()
        if let said = refusal(raw) { throw AlarmError(.rejected, said.message ?? "no reason given", code: said.code) }
        return raw
    }

    /// What a body says about a refusal; `nil` when it is none.
    private static func refusal(_ raw: Json) -> (code: String?, message: String?)? {
        var error = raw["error"]
        if error?.isNull == true { error = Optional.none }
        guard error != nil || raw["result"]?.tolerantBool == false else { return nil }
        let code = error?["code"] ?? raw["code"]
        let message = error?["message"]?.string ?? error?.string ?? raw["message"]?.string
        return (code.flatMap { $0.string ?? $0.number }, message)
    }
}

extension AlarmError.Kind {
    fileprivate init(_ error: NetworkError) {
        if let status = error.status, !(200...299).contains(status) {
            self =
                switch status {
                case 401, 403: .unauthorized
                case 404: .notFound
                case 409: .stale
                case 408, 429: .unavailable
                case 400...499: .rejected
                default: .unavailable
                }
            return
        }
        self =
            switch error.code {
            case .decodingFailed, .emptyBody, .invalidResponse, .responseTooLarge, .decompressionFailed:
                .invalidResponse
            case .missingRoute, .invalidURL, .invalidRequest, .unsupportedValue, .encodingFailed, .invalidChain:
                .invalidRequest
            case .tokenRefreshFailed: .unauthorized
            default: .unavailable
            }
    }
}
