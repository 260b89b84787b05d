import CoreNetKit
import CoreNetKitEssentials
import PushRegistration

/// Reads and writes the record of one project, and the player id where the SDK stores it.
///
/// "The SDK" is the original IDPush SDK, which this service replaces. The record of the project is authoritative. All
/// projects share the SDK's key, so the ids that this code wrote there are remembered: any other id was written by the
/// SDK, and is newer.
struct IDPushStorage: Sendable {
    /// The key under which the SDK stores the player id, as plain text.
    static let sdkKey = "IDPush_PreviousPlayerID"
    /// The player ids that this code wrote there, one a line, the newest last.
    private static let ownIDsKey = "IDPush_PreviousPlayerID.own"

    let key: String
    let device: String?

    init(projectID: String, device: String?) {
        key = "IDPush_Registration.v1.\(projectID)"
        self.device = device
    }

    func load(_ store: any KeyValueStore) throws -> IDPushRecord {
        var record = try IDPushRecord.load(key, from: store)
        let before = record
        let sdkPlayerID = try Self.sdkPlayerID(in: store)
        let ownIDs = try ownIDs(store)
        if let device, let home = record.device, home != device {
            // The record comes from a backup of another phone, whose id stays with that phone.
            record.moveToNewDevice(installationID: UUID().uuidString, device: device)
            record.bumpRevisions(since: before)
            try record.save(key, to: store)
            if sdkPlayerID == before.playerID { try store.set(nil, for: Self.sdkKey) }
            return record
        }
        if let sdkPlayerID, sdkPlayerID != record.playerID, !ownIDs.contains(sdkPlayerID) {
            record.adopt(sdkPlayerID)
            record.bumpRevisions(since: before)
            // Saved at once, so that no other project adopts the id.
            try save(record, before, store)
        } else if let id = record.playerID, id != sdkPlayerID, ownIDs.last == id || !ownIDs.contains(id) {
            // An earlier process ended between writing the record and the SDK's key.
            try writeForSDK(id, store)
        }
        return record
    }

    func save(_ record: IDPushRecord, _ before: IDPushRecord, _ store: any KeyValueStore) throws {
        var record = record
        record.device = device ?? record.device
        try record.save(key, to: store)
        guard record.playerID != before.playerID else { return }
        if let id = record.playerID {
            try writeForSDK(id, store)
        } else if try Self.sdkPlayerID(in: store) == before.playerID {
            try store.set(nil, for: Self.sdkKey)
        }
    }

    /// The player id stored by the SDK; `nil` if it is blank.
    static func sdkPlayerID(in store: any KeyValueStore) throws -> String? {
        let id = try store.string(for: sdkKey)?.trimmed ?? ""
        return id.isEmpty ? nil : id
    }

    /// Stores a player id where the SDK does, for the next project that adopts it; a blank one is ignored.
    static func keepForSDK(_ id: String, in store: any KeyValueStore) throws {
        if !id.trimmed.isEmpty { try store.set(id.trimmed, for: sdkKey) }
    }

    /// Writes a player id for the SDK; it is remembered first, so that it is never mistaken for the SDK's own.
    private func writeForSDK(_ id: String, _ store: any KeyValueStore) throws {
        let ids = try ownIDs(store).filter { $0 != id } + [id]
        try store.set(ids.joined(separator: "\n"), for: Self.ownIDsKey)
        try store.set(id, for: Self.sdkKey)
    }

    private func ownIDs(_ store: any KeyValueStore) throws -> [String] {
        try store.string(for: Self.ownIDsKey)?.split(separator: "\n").map { String($0) } ?? []
    }
}

extension IDPushRecord: PushRecord {
    var pendingParts: [Part] { Part.allCases.filter { isPending($0) } }

    /// The number of the choice, so that a later subscription outranks a stored opt-out.
    var optOut: String? { isSubscribed == false ? String(choiceRevision) : nil }

    var urgentPart: Part? { isOptedOut && isPending(.subscription) ? .subscription : nil }

    static func isRefusal(_ error: any Error) -> Bool { (error as? IDPushError)?.code == .rejected }

    static func network(of error: any Error) -> NetworkError? { (error as? IDPushError)?.network }

    static func blocksOtherRequests(_ error: any Error) -> Bool {
        guard let error = error as? IDPushError else { return true }
        return [.network, .consentRequired, .storageFailed, .unauthorized].contains(error.code)
    }

    init(stored: Json?, optOut: String?) {
        self.init(installationID: stored?["seed"]?.string ?? UUID().uuidString, device: stored?["device"]?.string)
        playerID = stored?["playerID"]?.string
        token = stored?["token"]?.string
        confirmedRegistration = stored?["confirmed"].flatMap(Self.values)
        isSubscribed = stored?["isSubscribed"]?.flag
        isChoicePending = stored?["isChoiceOpen"]?.flag ?? false
        tags = stored?["tags"].flatMap(Self.values) ?? [:]
        pendingTags = stored?["openTags"].flatMap(Self.values) ?? [:]
        owner = stored?["tagsOf"]?.array.map { $0.first?.string.map { .user($0) } ?? .signedOut } ?? .unknown
        parameters = stored?["parameters"].flatMap(Self.values) ?? [:]
        pendingParameters = stored?["openParameters"].flatMap(Self.values) ?? [:]
        hasConsent = stored?["hasConsent"]?.flag
        revisions = (stored?["revisions"]?.object ?? [:]).compactMapValues(\.int)
        choiceRevision = stored?["choices"]?.int ?? 0
        guard let optOut, isSubscribed != false else { return }
        let count = Int(optOut) ?? 0
        if isSubscribed == true, choiceRevision > count { return }
        choiceRevision = max(choiceRevision, count)
        isSubscribed = false
        isChoicePending = true
    }

    var json: Json {
        func object(_ values: [String: TagValue]) -> Json { Json(values.mapValues(\.stored)) }
        return [
            "playerID": Json(optional: playerID), "token": Json(optional: token), "seed": Json(installationID),
            "device": Json(optional: device), "confirmed": confirmedRegistration.map(object) ?? .null,
            "isSubscribed": isSubscribed.map { Json($0) } ?? .null, "isChoiceOpen": Json(isChoicePending),
            "choices": Json(choiceRevision), "hasConsent": hasConsent.map { Json($0) } ?? .null, "tags": object(tags),
            "openTags": object(pendingTags), "tagsOf": owner.json,
            "parameters": object(parameters), "openParameters": object(pendingParameters),
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
