public import AlarmService
public import DeepLinks

/// An open event to report: names the page or type that the user opened, never the content of a link.
public struct OpenEvent: Encodable, Sendable, Hashable {
    /// The kind of thing, such as `link` or `alarm`.
    public var kind: String
    /// Identifies it among its kind: events with the same id are reported once.
    public var id: String
    /// The page or type, such as `/messages/:id`.
    public var what: String
    /// The source, such as `notification`.
    public var source: String?
    /// The campaign, if there is one.
    public var campaign: String?
    /// The action of the notification that the user chose.
    public var action: String?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - kind: The kind of thing.
    ///   - id: Identifies it among its kind.
    ///   - what: The page or type.
    ///   - source: The source.
    ///   - campaign: The campaign.
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

    /// Creates the event of a delivered link; without a notification's id each delivery is a separate event.
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

    /// Creates the event of an opened alarm.
    public init(_ alarm: Alarm) {
        self.init("alarm", id: String(alarm.sequence), what: alarm.notificationType)
    }
}
