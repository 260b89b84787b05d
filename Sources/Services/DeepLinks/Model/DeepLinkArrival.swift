/// A link, and where it came from.
public struct DeepLinkArrival<Link: Sendable>: Sendable {
    /// The link.
    public let link: Link
    /// What the system or the app came with.
    public let source: DeepLinkSource
    /// The page.
    public let pattern: DeepLinkPattern
    /// Every item of the URL's query, also those that the page does not name.
    public let query: [String: String]

    /// Where the source comes from.
    public var origin: DeepLinkOrigin { source.origin }

    /// What the URL says about the campaign that it belongs to; `nil` when it says nothing.
    public var campaign: DeepLinkCampaign? { DeepLinkCampaign(query) }

    /// The id of the notification; `nil` for other sources.
    public var notificationID: String? { notification?.id }

    /// The action of the notification that the user chose; `nil` for a tap, and for other sources.
    public var action: String? { notification?.action }

    private var notification: NotificationPayload? {
        if case .notification(let payload) = source { payload } else { nil }
    }
}

extension DeepLinkArrival: Equatable where Link: Equatable {}

/// The campaign that a link belongs to, by the parameters that analytics tools agree on (`utm_…`).
public struct DeepLinkCampaign: Sendable, Hashable {
    /// `utm_source`: who sent the link, such as `newsletter`.
    public let source: String?
    /// `utm_medium`: how it was sent, such as `email`.
    public let medium: String?
    /// `utm_campaign`: the name of the campaign.
    public let name: String?
    /// `utm_term`: the search words.
    public let term: String?
    /// `utm_content`: which of several links.
    public let content: String?

    init?(_ query: [String: String]) {
        let text = { (name: String) -> String? in query["utm_" + name].flatMap { $0.isBlank ? nil : $0 } }
        (source, medium, name, term) = (text("source"), text("medium"), text("campaign"), text("term"))
        content = text("content")
        guard source != nil || medium != nil || name != nil || term != nil || content != nil else { return nil }
    }
}
