/// A link and its source.
public struct DeepLinkArrival<Link: Sendable>: Sendable {
    /// The link.
    public let link: Link
    /// The source, as the system or the app delivered it.
    public let source: DeepLinkSource
    /// The pattern of the page.
    public let pattern: DeepLinkPattern
    /// Every item of the URL's query, including those that the page does not name.
    public let query: [String: String]

    /// The origin of the source.
    public var origin: DeepLinkOrigin { source.origin }

    /// The campaign named in the URL; `nil` if there is none.
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

/// The campaign of a link, from the parameters that analytics tools agree on (`utm_…`).
public struct DeepLinkCampaign: Sendable, Hashable {
    /// `utm_source`: the sender of the link, such as `newsletter`.
    public let source: String?
    /// `utm_medium`: the medium, such as `email`.
    public let medium: String?
    /// `utm_campaign`: the name of the campaign.
    public let name: String?
    /// `utm_term`: the search words.
    public let term: String?
    /// `utm_content`: distinguishes several links of a campaign.
    public let content: String?

    init?(_ query: [String: String]) {
        let text = { (name: String) -> String? in query["utm_" + name].flatMap { $0.isBlank ? nil : $0 } }
        (source, medium, name, term) = (text("source"), text("medium"), text("campaign"), text("term"))
        content = text("content")
        guard source != nil || medium != nil || name != nil || term != nil || content != nil else { return nil }
    }
}
