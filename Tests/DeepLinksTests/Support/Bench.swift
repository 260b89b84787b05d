import DeepLinks
import Foundation

/// A center on the tutorial's pages, its clock, and what it rejected.
struct Bench {
    let time = ManualTime()
    let rejections = Recorder<DeepLinkError>()
    let center: DeepLinkCenter<DeeplinkType>

    init(
        routes: [DeepLinkRoute<DeeplinkType>] = DeeplinkType.routes,
        policy: DeepLinkPolicy = .latestWins,
        timeToLive: Duration? = nil
    ) {
        center = DeepLinkCenter(
            parser: DeepLinkParser(
                schemes: ["app"],
                hosts: ["example.com"],
                routes: routes,
                shortcuts: ["new": "/newListing"],
                notifications: [.id(at: "data.messageId", opens: "/messages/:id")]
            ),
            policy: policy,
            timeToLive: timeToLive,
            clock: time,
            onRejected: { [rejections] reason, _ in rejections.record(reason) }
        )
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
