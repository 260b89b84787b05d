import DeepLinks
import TestSupport

@testable import DeepLinksDocumentNames

/// What parsing gives: a link or a reason.
enum Verdict: Equatable, Sendable {
    case opens(DeeplinkType)
    case rejected(DeepLinkError)

    init(_ parser: DeepLinkParser<DeeplinkType>, _ source: DeepLinkSource) {
        do { self = .opens(try parser.parse(source)) } catch { self = .rejected(error) }
    }
}

/// The pages of the tutorial, open from links of every kind, so that what a link says can be seen.
enum Tutorial {
    static let routes: [DeepLinkRoute<DeeplinkType>] = {
        let links: Set<DeepLinkSourceKind> = [.link, .universalLink, .text, .app]
        return [
            DeepLinkRoute("/messages", opens: .messages(.root), from: links.union([.shortcut])),
            DeepLinkRoute("/messages/:id", from: links.union([.notification])) {
                .messages(.details(id: $0))
            } of: {
                if case .messages(.details(let id)) = $0 { id } else { nil }
            },
            DeepLinkRoute("/activity", opens: .activity, from: links.union([.shortcut])),
            DeepLinkRoute("/newListing", opens: .newListing, from: links.union([.shortcut]), for: ["Host"]),
            request("/request/:id", from: links.union([.notification])),
        ]
    }()

    static func request(
        _ pattern: DeepLinkPattern,
        from sourceKinds: Set<DeepLinkSourceKind> = .all
    ) -> DeepLinkRoute<DeeplinkType> {
        DeepLinkRoute(pattern, from: sourceKinds) {
            .request(id: $0)
        } of: {
            if case .request(let id) = $0 { id } else { nil }
        }
    }
}

let tutorial = DeepLinkParser(
    schemes: ["deeplinkTutorial"],
    hosts: ["example.com"],
    routes: Tutorial.routes,
    shortcuts: DeeplinkType.shortcuts,
    notifications: DeeplinkType.notifications
)

extension DeepLinkSource {
    /// A tap on a notification.
    static func note(_ content: Json, id: String? = nil, isTapped: Bool = true, action: String? = nil) -> Self {
        .notification(NotificationPayload(content: content, id: id, isTapped: isTapped, action: action))
    }
}

extension DeeplinkType {
    static func chat(_ id: String) -> DeeplinkType { .messages(.details(id: id)) }
}
