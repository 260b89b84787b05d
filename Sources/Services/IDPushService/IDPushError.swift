public import CoreNetKit
import PushRegistration

/// An error of a call to IDPush.
public struct IDPushError: Error, Sendable {
    /// A class of failure: an open set; any version may add new codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        private init(_ name: String) { description = name }

        /// The façade was used before a successful `setup`.
        public static let notConfigured = Code("notConfigured")
        /// The project id is blank.
        public static let missingProjectID = Code("missingProjectID")
        /// The base URL is neither https nor on this machine.
        public static let insecureURL = Code("insecureURL")
        /// The device token is blank.
        public static let missingDeviceToken = Code("missingDeviceToken")
        /// The text is not a device token.
        public static let invalidDeviceToken = Code("invalidDeviceToken")
        /// The device is not registered: `addDevice` must succeed first.
        public static let missingPlayerID = Code("missingPlayerID")
        /// The parameter belongs to the service or to another action.
        public static let reservedParameter = Code("reservedParameter")
        /// The tag or parameter has a blank name, or a value that cannot be sent.
        public static let unsupportedValue = Code("unsupportedValue")
        /// More tags than ``IDPushAction/tagLimit``.
        public static let tooManyTags = Code("tooManyTags")
        /// More bytes of tags than ``IDPushAction/tagSizeLimit``.
        public static let tagsTooLarge = Code("tagsTooLarge")
        /// The user has not given consent; the change is kept until then.
        public static let consentRequired = Code("consentRequired")
        /// The store cannot be read or written now.
        public static let storageFailed = Code("storageFailed")
        /// The server rejected the request.
        public static let rejected = Code("rejected")
        /// The server does not accept the project, status 401 or 403.
        public static let unauthorized = Code("unauthorized")
        /// The server no longer knows the device; the next `addDevice` or `flush` registers it again.
        public static let deviceNotFound = Code("deviceNotFound")
        /// The response is not in IDPush's format.
        public static let invalidResponse = Code("invalidResponse")
        /// The network call failed.
        public static let network = Code("network")
    }

    /// The problem with a response that has a success status.
    public enum Problem: Sendable, Hashable {
        /// It is not JSON: usually the page of an intermediary.
        case notJSON(status: Int)
        /// It is JSON without a required field.
        case missingField(String)
        /// It is JSON in another format.
        case malformed
    }

    /// The class of failure; switch on it.
    public let code: Code
    /// One line: the problem and the remedy.
    public let message: String
    /// The server's message, if it sent one.
    public let serverMessage: String?
    /// The underlying network error; `nil` if nothing was sent.
    public let network: NetworkError?

    /// The id that the server does not know, with `deviceNotFound`.
    let playerID: String?

    init(
        _ code: Code,
        _ message: String,
        serverMessage: String? = nil,
        playerID: String? = nil,
        network: NetworkError? = nil
    ) {
        (self.code, self.message, self.serverMessage) = (code, message, serverMessage)
        (self.playerID, self.network) = (playerID, network)
    }

    /// The HTTP status of the response, if there was one.
    public var status: Int? { network?.status }
}

extension IDPushError: Equatable {
    /// Whether both are the same error; network errors are compared by code and status.
    public static func == (left: IDPushError, right: IDPushError) -> Bool {
        if left.code == .network, right.code == .network {
            return left.network?.code == right.network?.code && left.status == right.status
        }
        return left.code == right.code && left.message == right.message
    }
}

extension IDPushError {
    /// Lets `catch IDPushError.missingPlayerID` match.
    public static func ~= (pattern: IDPushError, error: any Error) -> Bool { error as? IDPushError == pattern }
}

extension IDPushError: CustomStringConvertible {
    /// One line for a log.
    public var description: String { message }
}

// One value for each code, with its details.
extension IDPushError {
    /// The façade was used before a successful `setup`.
    public static let notConfigured = IDPushError(
        .notConfigured,
        "IDPush is not configured: call IDPush.setup(projectID:) first"
    )
    /// The project id is blank.
    public static let missingProjectID = IDPushError(
        .missingProjectID,
        "the project id is blank: take it from the IDPush panel"
    )
    /// The base URL, given by its host, is neither https nor on this machine.
    public static func insecureURL(_ host: String) -> IDPushError {
        IDPushError(.insecureURL, "the base URL (\(host)) must be https, or http on this machine")
    }
    /// The device token is blank.
    public static let missingDeviceToken = IDPushError(
        .missingDeviceToken,
        "the device token is blank: wait for Apple's callback before addDevice"
    )
    /// The text is not a device token.
    public static func invalidDeviceToken(_ problem: PushToken.Problem) -> IDPushError {
        IDPushError(.invalidDeviceToken, "the device token is not hex (\(problem.rawValue)): pass the Data")
    }
    /// The device is not registered: `addDevice` must succeed first.
    public static let missingPlayerID = IDPushError(
        .missingPlayerID,
        "the device has no player id: addDevice has to succeed first"
    )
    /// The parameter belongs to the service or to another action.
    public static func reservedParameter(_ key: String) -> IDPushError {
        IDPushError(.reservedParameter, "\(key) cannot be set by editDevice: it belongs to another action")
    }
    /// The tag or parameter has a blank name, or a value that cannot be sent.
    public static func unsupportedValue(key: String) -> IDPushError {
        IDPushError(.unsupportedValue, "\"\(key)\" has a value that cannot be sent: use JSON values")
    }
    /// More tags than ``IDPushAction/tagLimit``.
    public static func tooManyTags(_ count: Int) -> IDPushError {
        IDPushError(.tooManyTags, "\(count) tags in one call: at most \(IDPushAction.tagLimit)")
    }
    /// More bytes of tags than ``IDPushAction/tagSizeLimit``.
    public static func tagsTooLarge(bytes: Int) -> IDPushError {
        IDPushError(.tagsTooLarge, "\(bytes) bytes of tags in one call: at most \(IDPushAction.tagSizeLimit)")
    }
    /// The user has not given consent; the change is kept until then.
    public static let consentRequired = IDPushError(
        .consentRequired,
        "the user has not agreed to notifications: call giveConsent() when that changes"
    )
    /// The store cannot be read or written now; the text is the reason.
    public static func storageFailed(_ reason: String) -> IDPushError {
        IDPushError(.storageFailed, "the store failed, \(reason)")
    }
    /// The server rejected the request.
    public static func rejected(status: Int, message: String?) -> IDPushError {
        let text = "IDPush refused (status \(status)): \(message ?? "no reason given")"
        return IDPushError(.rejected, text, serverMessage: message)
    }
    /// The server does not accept the project, status 401 or 403.
    public static func unauthorized(status: Int) -> IDPushError {
        IDPushError(.unauthorized, "IDPush does not accept this project (status \(status))")
    }
    /// The server no longer knows the device; the next `addDevice` or `flush` registers it again.
    public static func deviceNotFound(playerID: String) -> IDPushError {
        let text = "IDPush does not know the device \(playerID): register it again"
        return IDPushError(.deviceNotFound, text, playerID: playerID)
    }
    /// The response is not in IDPush's format.
    public static func invalidResponse(_ problem: Problem) -> IDPushError {
        let text =
            switch problem {
            case .notJSON(let status): "the response (status \(status)) is not JSON: is there a captive portal?"
            case .missingField(let name): "the response has no \(name)"
            case .malformed: "the response is JSON, but not from IDPush"
            }
        return IDPushError(.invalidResponse, text)
    }
    /// The network call failed.
    public static func network(_ error: NetworkError) -> IDPushError {
        IDPushError(.network, error.description, network: error)
    }

    private func caused(by error: NetworkError) -> IDPushError {
        IDPushError(code, message, serverMessage: serverMessage, playerID: playerID, network: error)
    }

    /// Converts any error of a call to the service's own; cancellation stays as it is.
    static func wrapping(_ error: any Error, playerID: String? = nil) -> any Error {
        switch error {
        case is CancellationError, is IDPushError: return error
        case let error as PushStoreError:
            return error.cause as? IDPushError ?? IDPushError.storageFailed("\(error.cause)")
        case let error as NetworkError: return of(error, playerID: playerID)
        default: return IDPushError.network(NetworkError(.nodeFailed, "\(error)", node: "IDPush", cause: error))
        }
    }

    private static func of(_ error: NetworkError, playerID: String?) -> IDPushError {
        if let own = error.cause as? IDPushError {
            guard own.code == .rejected else { return own.caused(by: error) }
            return rejected(status: error.status ?? 0, message: own.serverMessage).caused(by: error)
        }
        // An error with a phase comes from the connection: the content was cut off, so it is not IDPush's response.
        if let response = error.response, error.refusal == nil, error.phase == nil {
            let problem = error.cause is DecodingError ? Problem.malformed : .notJSON(status: response.status)
            return invalidResponse(problem).caused(by: error)
        }
        // A reply that is not IDPush's JSON comes from an intermediary, and decides nothing about the device.
        let said = try? error.decodeBody(as: IDPushReplyPayload.self)
        let (status, isOwn) = (error.refusal?.status ?? 0, said?.status != nil)
        switch status {
        case 401, 403: return unauthorized(status: status).caused(by: error)
        case _ where error.isRetryable || !isOwn: return network(error)
        case 404, 410:
            let refusal =
                playerID.map { deviceNotFound(playerID: $0) } ?? rejected(status: status, message: said?.message)
            return refusal.caused(by: error)
        case 400..<500: return rejected(status: status, message: said?.message).caused(by: error)
        default: return network(error)
        }
    }
}
