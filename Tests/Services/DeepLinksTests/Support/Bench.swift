import DeepLinks
import DeepLinksDocumentNames
import Synchronization
import TestSupport

/// A center on the tutorial's pages, its clock, and what it rejected.
struct Bench {
    let time = ManualTime()
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

/// A clock that only the test moves.
final class ManualTime: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    /// Whether reading the time cancels the task that reads it: to be cancelled in the middle of a call.
    let cancelsReader = Atomic(false)
    private let milliseconds = Atomic(0)

    var now: Instant {
        if cancelsReader.load(ordering: .sequentiallyConsistent) { withUnsafeCurrentTask { $0?.cancel() } }
        return Instant(offset: .milliseconds(milliseconds.load(ordering: .sequentiallyConsistent)))
    }

    var minimumResolution: Duration { .milliseconds(1) }

    func advance(milliseconds amount: Int) {
        milliseconds.wrappingAdd(amount, ordering: .sequentiallyConsistent)
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        throw CancellationError()
    }
}
