import DeepLinks
import DeepLinksDocumentNames
import Foundation

/// A center on the tutorial's pages, its clock, and what it rejected.
struct Bench {
    let time = ManualTime()
    let rejections = Recorder<DeepLinkError>()
    let center: DeepLinkCenter<DeeplinkType>

    init(
        routes: [DeepLinkRoute<DeeplinkType>] = Tutorial.routes,
        policy: DeepLinkPolicy = .latestWins,
        timeToLive: Duration? = nil,
        shortcuts: [String: DeepLinkPattern] = ["new": "/newListing"]
    ) {
        center = DeepLinkCenter(
            parser: DeepLinkParser(
                schemes: ["app"],
                hosts: ["example.com"],
                routes: routes,
                shortcuts: shortcuts,
                notifications: [.id(at: "data.messageId", opens: "/messages/:id")]
            ),
            policy: policy,
            timeToLive: timeToLive,
            clock: time
        ) { [rejections] reason, _ in rejections.record(reason) }
    }

    @discardableResult
    func open(_ path: String) -> Bool {
        center.receive(.text("app://" + path))
    }

    /// What can be delivered at once.
    func deliver() -> DeeplinkType? {
        var delivered: DeeplinkType?
        center.deliver { delivered = $0 }
        return delivered
    }
}
