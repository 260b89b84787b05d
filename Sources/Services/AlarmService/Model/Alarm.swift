public import CoreNetKitEssentials
public import CoreNetKit

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
    /// Creates an alarm, with the default for each missing member.
    ///
    /// - Parameter dto: The entry.
    /// - Returns: The alarm.
    /// - Throws: ``AlarmError`` if the entry has no sequence; a page skips such entries.
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
