public import CoreNetKit

/// Why IDPush did not do what it was asked for.
public enum IDPushError: Error, Sendable {
    /// What is wrong with an answer that came with a good status.
    public enum Problem: Sendable, Hashable {
        /// It is no JSON: a page of somebody in between, as a rule.
        case notJSON(status: Int)
        /// It is JSON without a field that must be there.
        case missingField(String)
        /// It is JSON of another shape.
        case malformed
    }

    /// The façade was used before a `setup` that went well.
    case notConfigured
    /// The project id is blank.
    case missingProjectID
    /// The base URL is neither https nor on this machine; its host.
    case insecureURL(String)
    /// The device token is blank.
    case missingDeviceToken
    /// The text is no device token.
    case invalidDeviceToken(PushToken.Problem)
    /// The device is not registered: `addDevice` has to succeed first.
    case missingPlayerID
    /// The parameter belongs to the service or to another action.
    case reservedParameter(String)
    /// The tag or parameter has a blank name, or a value that is no text, number or bool.
    case unsupportedValue(key: String)
    /// More tags than ``IDPushAction/tagLimit``.
    case tooManyTags(Int)
    /// More bytes of tags than ``IDPushAction/tagSizeLimit``.
    case tagsTooLarge(bytes: Int)
    /// Nothing is sent before the user agreed; what was asked for is kept until then.
    case consentRequired
    /// What was asked for could not be kept for a restart; the text says why.
    case storageFailed(String)
    /// The server said no.
    case rejected(status: Int, message: String?)
    /// The server does not accept the project, status 401 or 403.
    case unauthorized(status: Int)
    /// The server does not know the device any more; the next `addDevice` or `flush` registers it again.
    case deviceNotFound(playerID: String)
    /// The answer is not one of IDPush.
    case invalidResponse(Problem)
    /// The call failed on its way.
    case network(NetworkError)
}

extension IDPushError {
    /// Whether the same request can only fail again, so that it is not kept.
    var isFinal: Bool {
        if case .rejected = self { true } else { false }
    }

    /// The error of a call as an error of IDPush.
    ///
    /// - Parameters:
    ///   - error: What the chain threw.
    ///   - playerID: The device that the call was about, `nil` for a registration.
    init(_ error: any Error, playerID: String?) {
        guard let error = error as? NetworkError else {
            self =
                error as? IDPushError ?? .network(NetworkError(.nodeFailed, "\(error)", stage: "IDPush", cause: error))
            return
        }
        let message = try? error.decodeBody(as: IDPushReplyEntry.self).message
        switch (error.cause as? IDPushError, error.status) {
        case (.rejected(_, let message)?, let status?): self = .rejected(status: status, message: message)
        case (let own?, _): self = own
        case (nil, 401?), (nil, 403?): self = .unauthorized(status: error.status ?? 401)
        case (nil, 408?), (nil, 429?): self = .network(error)
        case (nil, 404?), (nil, 410?):
            self =
                playerID.map { .deviceNotFound(playerID: $0) }
                ?? .rejected(status: error.status ?? 404, message: message)
        case (nil, .some(400..<500)): self = .rejected(status: error.status ?? 400, message: message)
        case (nil, .some(200..<300)):
            self = .invalidResponse(error.cause is DecodingError ? .malformed : .notJSON(status: error.status ?? 200))
        default: self = .network(error)
        }
    }
}

extension IDPushError: Equatable {
    /// Whether both say the same; errors of the network by code and status.
    public static func == (left: IDPushError, right: IDPushError) -> Bool {
        switch (left, right) {
        case (.network(let left), .network(let right)): left.code == right.code && left.status == right.status
        case (.network, _), (_, .network): false
        default: left.description == right.description
        }
    }
}

extension IDPushError: CustomStringConvertible {
    /// One line that says what is wrong and what to do.
    public var description: String {
        switch self {
        case .notConfigured: "IDPush is not configured: call IDPush.setup(projectID:) first"
        case .missingProjectID: "the project id is blank: take it from the IDPush panel"
        case .insecureURL(let host): "the base URL (\(host)) must be https, or http on this machine"
        case .missingDeviceToken: "the device token is blank: wait for Apple's answer before addDevice"
        case .invalidDeviceToken(let problem): "the device token is not hex (\(problem.rawValue)): pass the Data"
        case .missingPlayerID: "the device has no player id: addDevice has to succeed first"
        case .reservedParameter(let key): "\(key) cannot be set by editDevice: it belongs to another action"
        case .unsupportedValue(let key): "\"\(key)\" has no value that can be sent: use text, numbers and bools"
        case .tooManyTags(let count): "\(count) tags in one call: at most \(IDPushAction.tagLimit)"
        case .tagsTooLarge(let bytes): "\(bytes) bytes of tags in one call: at most \(IDPushAction.tagSizeLimit)"
        case .consentRequired: "the user has not agreed to notifications: call giveConsent() when that changes"
        case .storageFailed(let reason): "the store failed, \(reason)"
        case .rejected(let status, let message): "IDPush refused (status \(status)): \(message ?? "no reason given")"
        case .unauthorized(let status): "IDPush does not accept this project (status \(status))"
        case .deviceNotFound(let playerID): "IDPush does not know the device \(playerID): register it again"
        case .invalidResponse(.notJSON(let status)):
            "the answer (status \(status)) is no JSON: is there a captive portal?"
        case .invalidResponse(.missingField(let name)): "the answer has no \(name)"
        case .invalidResponse(.malformed): "the answer is JSON, but not of IDPush"
        case .network(let error): error.description
        }
    }
}
