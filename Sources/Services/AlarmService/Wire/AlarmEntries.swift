public import CoreNetKit

/// An alarm as the server sends it: every member may be missing, or of another type than agreed.
public struct AlarmEntry: RawDecodable, Sendable, Hashable {
    /// The raw form.
    public typealias Raw = Json

    /// The identity and the place in the order; `nil` where the server sent none that is usable.
    public var sequence: Int?
    /// Whether the alarm was read: `true`, `1`, `"1"`, `"Y"`, `"true"`.
    public var isRead: Bool?
    private var texts: [String: String] = [:]

    /// The text of a member; a number is taken as its digits.
    public func text(_ name: String) -> String? { texts[name] }

    /// Reads what can be read; only something that is no object at all has nothing.
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

    /// The entries, those without a sequence included.
    public let entries: [AlarmEntry]
    /// Whether older alarms are there.
    public let hasMore: Bool?
    /// The sequence in front of which the next page begins.
    public let nextBefore: Int?
    /// How many alarms the user has not read.
    public let unreadCount: Int?

    /// Reads a page.
    ///
    /// - Parameter raw: The content of the response.
    /// - Returns: The page.
    /// - Throws: `JsonError` when the content is not JSON, ``AlarmError`` when it is a refusal or has no list.
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
    /// How many alarms the user has not read.
    public let unreadCount: Int?

    /// Reads a response.
    ///
    /// - Parameter raw: The content of the response.
    /// - Returns: The response.
    /// - Throws: `JsonError` when the content is not JSON, ``AlarmError`` when it is a refusal.
    public static func from(raw: Json) throws -> AlarmResultEntry {
        let raw = try AlarmError.checked(raw)
        return AlarmResultEntry(
            affected: raw["affected"]?.tolerantInt,
            unreadCount: raw["unread_count"]?.tolerantInt
        )
    }
}

/// An action as the server takes it, in a form.
public struct AlarmActionEntry: RawEncodable, Sendable, Hashable {
    /// The name of the action.
    public let action: String
    /// The alarms it is about, separated by commas.
    public var seq: String?
    /// The type it is about.
    public var type: String?
    /// The sender it is about.
    public var fromId: String?

    /// Writes the members that are there.
    public func toRaw() -> Json {
        var raw: Json = ["action": Json(action)]
        raw["seq"] = seq.map { Json($0) }
        raw["type"] = type.map { Json($0) }
        raw["from_id"] = fromId.map { Json($0) }
        return raw
    }
}
