public import CoreNetKit
public import CoreNetKitEssentials

/// An alarm of the list, as a value, so that a change of one is a change of the list.
///
/// The properties and their defaults are those of the document; the computed properties interpret them.
public struct Alarm: Sendable, Hashable, Identifiable {
    /// The identity and the sort key: newer alarms have greater numbers.
    public var sequence: Int = 0
    /// The name of the type, see ``type``.
    public var notificationType: String = "F00"
    /// The name of the user who caused the alarm.
    public var fromNickName: String = ""
    /// The id of the user who caused the alarm.
    public var fromId: String = ""
    /// Whether the alarm was read.
    public var isReading: Bool = false
    /// A text after the message, such as the title of a post.
    public var headText: String = ""
    /// The name of the station.
    public var stationName: String = ""
    /// The address of a picture, see ``thumbnailURL``.
    public var thumbnail: String = ""
    /// The link to open, as sent: do not trust it.
    public var scheme: String = ""
    /// The message, with the name of the sender between `<` and `>`.
    public var notificationMessage: String = ""
    /// The address of the sender's picture, see ``profileImage``.
    public var profileImageURL: String = ""
    /// The time as sent, see ``date``.
    public var notificationDate: String = ""

    /// Creates an alarm with the defaults of the document.
    public init() {}

    /// The sequence.
    public var id: Int { sequence }
    /// The type.
    public var type: AlarmType { AlarmType(rawValue: notificationType) }
    /// Whether the alarm was read.
    public var isRead: Bool { isReading }
    /// The URL of the picture; `nil` if there is none.
    public var thumbnailURL: URL? { Self.url(thumbnail) }
    /// The URL of the sender's picture; `nil` if there is none.
    public var profileImage: URL? { Self.url(profileImageURL) }
    /// The time; `nil` if it is in no format that ``AlarmDate`` reads.
    public var date: Date? { AlarmDate.parse(notificationDate) }
    /// The text to show; the name is highlighted, without its brackets.
    public var text: AlarmText { AlarmText(message: notificationMessage, nick: fromNickName, head: headText) }

    private static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else { return nil }
        return (scheme == "https" || scheme == "http") && url.host != nil ? url : nil
    }
}

extension Alarm: DTODecodable {
    /// Creates an alarm, with the default for each missing member; throws ``AlarmError`` if the entry has no sequence.
    public static func from(dto: AlarmEntry) throws -> Alarm {
        guard let sequence = dto.sequence else {
            throw AlarmError(.invalidResponse, "an alarm has no sequence")
        }
        var alarm = Alarm()
        alarm.sequence = sequence
        alarm.isReading = dto.isRead ?? false
        for (name, property) in properties {
            if let text = dto.text(name) { alarm[keyPath: property] = text }
        }
        if alarm.notificationType.isEmpty { alarm.notificationType = Alarm().notificationType }
        return alarm
    }

    private static var properties: [(String, WritableKeyPath<Alarm, String>)] {
        [
            ("type", \.notificationType), ("from_nick", \.fromNickName), ("from_id", \.fromId),
            ("head_text", \.headText), ("station_name", \.stationName), ("thumbnail", \.thumbnail),
            ("scheme", \.scheme), ("message", \.notificationMessage), ("profile_image", \.profileImageURL),
            ("date", \.notificationDate),
        ]
    }
}

/// The type of an alarm: an open set, because the server may add types at any time.
public struct AlarmType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name on the wire.
    public let rawValue: String

    /// Creates a type from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a type from a literal.
    public init(stringLiteral value: String) { rawValue = value }
}

/// Reads the date formats of servers of this kind.
public enum AlarmDate {
    /// Reads ISO 8601, `2026-11-21 15:30:00` and `20261121153000` as Korean time, and seconds or milliseconds since
    /// 1970; `nil` for any other text, and for a time after the year 2200.
    public static func parse(_ text: String) -> Date? {
        guard text.utf8.count <= 64, let date = read(text) else { return nil }
        return date.timeIntervalSince1970 < 7_258_118_400 ? date : nil
    }

    private static func read(_ text: String) -> Date? {
        let iso = Date.ISO8601FormatStyle()
        let digits = Array(text)
        if digits.count == 14, digits.allSatisfy({ ("0"..."9").contains($0) }) {
            let part = { (range: Range<Int>) in String(digits[range]) }
            let day = [part(0..<4), part(4..<6), part(6..<8)].joined(separator: "-")
            let time = [part(8..<10), part(10..<12), part(12..<14)].joined(separator: ":")
            return try? iso.parse("\(day)T\(time)+09:00")
        }
        if let number = Double(text) {
            guard number.isFinite, number > 0 else { return nil }
            // A number of seconds with 12 digits would be in the year 5000.
            return Date(timeIntervalSince1970: number >= 1e11 ? number / 1000 : number)
        }
        if let date = try? iso.parse(text) { return date }
        if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text) { return date }
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        return try? iso.parse("\(parts[0])T\(parts[1])+09:00")
    }
}

/// The alarm data of a push notification.
public struct AlarmPush: Sendable, Hashable {
    /// The alarm; `nil` if the notification has none with a sequence.
    public let alarm: Alarm?
    /// The category of the notification, which determines its actions.
    public let category: String?
    /// The number of unread alarms, if the server sent it.
    public let unreadCount: Int?

    /// Reads a server's payload: the alarm is in `data`, as an object or as JSON text, or in the payload itself.
    public init(payload: Json) {
        let data = payload["data"]?.unwrapped
        let content = data?["seq"] == nil ? payload : data ?? payload
        alarm = try? Alarm.from(dto: AlarmEntry.from(raw: content))
        category = payload["aps"]?["category"]?.string
        let count = content["unread_count"] ?? data?["unread_count"] ?? payload["aps"]?["badge"]
        unreadCount = count?.tolerantInt.map { max(0, $0) }
    }
}

/// The number on the app's icon or a bell icon.
public struct AlarmBadge: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let count: Int

    /// Creates a badge; a negative number is 0.
    public init(_ count: Int) { self.count = max(0, count) }

    /// The text to show: empty for 0, `99+` for more than two digits.
    public var description: String { count == 0 ? "" : count > 99 ? "99+" : String(count) }
}
