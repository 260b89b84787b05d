import CoreNetKitEssentials
import CoreNetKit
import PushRegistration

extension IDPushRecord: PushRecord {
    struct Request: Sendable {
        let action: IDPushAction
        let playerID: String?
        let parameters: [String: TagValue]
        let key: String
    }

    var openParts: [Part] { Part.allCases.filter { isOpen($0) } }

    /// The number of the choice, so that a later subscription outranks a stored opt-out.
    var optOut: String? { isSubscribed == false ? String(choices) : nil }

    mutating func confirm(_ request: Request, _ reply: IDPushReply) {
        confirm(request.action, sent: request.parameters, id: reply.playerID)
    }

    mutating func fail(_ request: Request, _ error: any Error) {
        if let error = error as? IDPushError { fail(request.action, error) }
    }

    var urgentPart: Part? { isOptedOut && isOpen(.choice) ? .choice : nil }

    static func isRefusal(_ error: any Error) -> Bool { (error as? IDPushError)?.code == .rejected }

    static func network(of error: any Error) -> NetworkError? { (error as? IDPushError)?.network }

    static func isOutage(_ error: any Error) -> Bool {
        guard let error = error as? IDPushError else { return true }
        return [.network, .consentRequired, .storageFailed, .unauthorized].contains(error.code)
    }

    /// Parses the readable fields; an opt-out applies even if the rest cannot be read.
    init(stored: Json?, optOut: String?) {
        self.init(seed: stored?["seed"]?.string ?? UUID().uuidString, device: stored?["device"]?.string)
        playerID = stored?["playerID"]?.string
        token = stored?["token"]?.string
        confirmed = stored?["confirmed"].flatMap(Self.values)
        isSubscribed = stored?["isSubscribed"]?.flag
        isChoiceOpen = stored?["isChoiceOpen"]?.flag ?? false
        tags = stored?["tags"].flatMap(Self.values) ?? [:]
        openTags = stored?["openTags"].flatMap(Self.values) ?? [:]
        owner = stored?["tagsOf"]?.array.map { $0.first?.string.map { .user($0) } ?? .signedOut } ?? .unknown
        parameters = stored?["parameters"].flatMap(Self.values) ?? [:]
        openParameters = stored?["openParameters"].flatMap(Self.values) ?? [:]
        hasConsent = stored?["hasConsent"]?.flag
        revisions = (stored?["revisions"]?.object ?? [:]).compactMapValues(\.int)
        choices = stored?["choices"]?.int ?? 0
        guard let optOut, isSubscribed != false else { return }
        let count = Int(optOut) ?? 0
        if isSubscribed == true, choices > count { return }
        choices = max(choices, count)
        isSubscribed = false
        isChoiceOpen = true
    }

    var json: Json {
        func object(_ values: [String: TagValue]) -> Json { Json(values.mapValues(\.stored)) }
        return [
            "playerID": Json(optional: playerID), "token": Json(optional: token), "seed": Json(seed),
            "device": Json(optional: device), "confirmed": confirmed.map(object) ?? .null,
            "isSubscribed": isSubscribed.map { Json($0) } ?? .null, "isChoiceOpen": Json(isChoiceOpen),
            "choices": Json(choices), "hasConsent": hasConsent.map { Json($0) } ?? .null, "tags": object(tags),
            "openTags": object(openTags), "tagsOf": owner.json,
            "parameters": object(parameters), "openParameters": object(openParameters),
            "revisions": Json(revisions.mapValues { Json($0) }),
        ]
    }

    private static func values(_ json: Json) -> [String: TagValue]? {
        json.object?.compactMapValues { TagValue(stored: $0) }
    }
}

extension IDPushRecord.Owner {
    fileprivate var json: Json {
        switch self {
        case .unknown: .null
        case .signedOut: []
        case .user(let name): [Json(name)]
        }
    }
}

extension Json {
    fileprivate init(optional text: String?) { self = text.map { Json($0) } ?? .null }
}
