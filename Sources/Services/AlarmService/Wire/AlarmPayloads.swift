public import CoreNetKit
public import CoreNetKitEssentials

/// An alarm as the server sends it: every member may be missing or of an unexpected type.
public struct AlarmEntry: RawDecodable, Sendable, Hashable {
    /// The raw form.
    public typealias Raw = Json

    /// The identity and sort key; `nil` if the server sent no usable one.
    public var sequence: Int?
    /// Whether the alarm was read: `true`, `1`, `"1"`, `"Y"`, `"true"`.
    public var isRead: Bool?
    private var texts: [String: String] = [:]

    /// The text of a member; for a number, its digits.
    public func text(_ name: String) -> String? { texts[name] }

    /// Reads all readable members; JSON that is not an object gives an empty entry.
    public static func from(raw: Json) -> AlarmEntry {
        var entry = AlarmEntry()
        entry.sequence = raw["seq"]?.tolerantInt.flatMap { $0 > 0 ? $0 : nil }
        entry.isRead = raw["is_read"]?.tolerantBool
        for (name, value) in raw.members {
            guard entry.texts[name] == nil, let text = value.string ?? value.number else { continue }
            entry.texts[name] = text
        }
        return entry
    }
}

/// A page of alarms as the server sends it.
public struct AlarmPageEntry: RawDecodable, Sendable {
    /// The raw form.
    public typealias Raw = Json

    /// The entries, including those without a sequence.
    public let entries: [AlarmEntry]
    /// Whether older alarms exist.
    public let hasMore: Bool?
    /// The exclusive cursor of the next page.
    public let nextBefore: Int?
    /// How many unread alarms the user has.
    public let unreadCount: Int?

    /// Reads a page; throws `JsonError` if the content is not JSON, ``AlarmError`` if it is an error or has no list.
    public static func from(raw: Json) throws -> AlarmPageEntry {
        let raw = try AlarmError.checked(raw)
        guard let data = raw["data"], data.isNull || data.array != nil else {
            throw AlarmError(.invalidResponse, "the page of alarms has no list \"data\"")
        }
        return AlarmPageEntry(
            entries: (data.array ?? []).map(AlarmEntry.from(raw:)),
            hasMore: raw["paging"]?["has_more"]?.tolerantBool,
            nextBefore: raw["paging"]?["next_before"]?.tolerantInt,
            unreadCount: raw["unread_count"]?.tolerantInt
        )
    }
}

/// The response to an action as the server sends it.
public struct AlarmResultEntry: RawDecodable, Sendable {
    /// The raw form.
    public typealias Raw = Json

    /// How many alarms the action changed.
    public let affected: Int?
    /// How many unread alarms the user has.
    public let unreadCount: Int?

    /// Reads a response; throws `JsonError` if the content is not JSON, ``AlarmError`` if it is an error.
    public static func from(raw: Json) throws -> AlarmResultEntry {
        let raw = try AlarmError.checked(raw)
        return AlarmResultEntry(affected: raw["affected"]?.tolerantInt, unreadCount: raw["unread_count"]?.tolerantInt)
    }
}

/// An action as the server expects it, in a form.
public struct AlarmActionEntry: RawEncodable, Sendable, Hashable {
    /// The name of the action.
    public let action: String
    /// The sequences of the alarms, separated by commas.
    public var seq: String?
    /// The type of the alarms.
    public var type: String?
    /// The sender of the alarms.
    public var fromId: String?

    /// Encodes the members that are set.
    public func toRaw() -> Json {
        var raw: Json = ["action": Json(action)]
        raw["seq"] = seq.map { Json($0) }
        raw["type"] = type.map { Json($0) }
        raw["from_id"] = fromId.map { Json($0) }
        return raw
    }
}

/// The routes of the alarm requests, below the address of the server's API.
public enum AlarmRoute: UrlRouteProvider, Sendable {
    /// Pages of alarms.
    case list(URL)
    /// All five actions.
    case action(URL)

    /// Joins the address and the path; throws `UrlRouteError`.
    public func url() throws -> URL {
        switch self {
        case .list(let base): try base + "/notifications"
        case .action(let base): try base + "/notifications/action"
        }
    }
}

extension Json {
    var tolerantInt: Int? { int ?? string.flatMap { Int($0) } }

    /// A Boolean in the forms that servers use; `nil` for anything else.
    var tolerantBool: Bool? {
        if let bool { return bool }
        switch string?.lowercased() ?? number {
        case "1", "y", "yes", "true": return true
        case "0", "n", "no", "false", "": return false
        default: return nil
        }
    }
}
