import DeepLinks
import DeepLinksDocumentNames
import TestSupport

/// A center on the tutorial's pages, its clock, and what it rejected.
struct Bench {
    let time = ManualClock()
    let rejections = Recorder<DeepLinkError>()
    let center: DeepLinkCenter<DeeplinkType>

    init(
        routes: [DeepLinkRoute<DeeplinkType>] = Tutorial.routes,
        policy: DeepLinkPolicy = .latestWins,
        timeToLive: Duration? = nil,
        shortcuts: [String: DeepLinkPattern] = ["new": "/newListing"],
        isReady: Bool = false
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
        if isReady { center.setReady(true) }
    }

    @discardableResult
    func open(_ path: String) -> Bool { center.receive(.text("app://" + path)) }

    func deliver() -> DeeplinkType? {
        var delivered: DeeplinkType?
        center.deliver { delivered = $0 }
        return delivered
    }
}
