public import AlarmService
public import DeepLinks

/// Something that the user opened, as it is reported: never what a link carries, only which page it is of.
public struct OpenEvent: Encodable, Sendable, Hashable {
    /// What kind of thing, such as `link` or `alarm`.
    public var kind: String
    /// What tells it from others of its kind: the same one is reported once.
    public var id: String
    /// Which page or type it is of, such as `/messages/:id`.
    public var what: String
    /// Where it came from, such as `notification`.
    public var source: String?
    /// The campaign that it belongs to.
    public var campaign: String?
    /// The action of the notification that the user chose.
    public var action: String?

    /// Describes an event.
    ///
    /// - Parameters:
    ///   - kind: What kind of thing.
    ///   - id: What tells it from others of its kind.
    ///   - what: Which page or type it is of.
    ///   - source: Where it came from.
    ///   - campaign: The campaign that it belongs to.
    ///   - action: The action of the notification that the user chose.
    public init(
        _ kind: String,
        id: String,
        what: String,
        source: String? = nil,
        campaign: String? = nil,
        action: String? = nil
    ) {
        (self.kind, self.id, self.what) = (kind, id, what)
        (self.source, self.campaign, self.action) = (source, campaign, action)
    }

    /// The delivery of a link; without the id of a notification each delivery is one of its own.
    public init<Link>(_ arrival: DeepLinkArrival<Link>, unique: @autoclosure () -> String) {
        let action = arrival.action
        let id = arrival.notificationID.map { "\($0) \(action ?? "")" } ?? unique()
        self.init(
            "link",
            id: id,
            what: "\(arrival.pattern)",
            source: arrival.origin.rawValue,
            campaign: arrival.campaign?.name,
            action: action
        )
    }

    /// The opening of an alarm.
    public init(_ alarm: Alarm) {
        self.init("alarm", id: String(alarm.sequence), what: alarm.notificationType)
    }
}
