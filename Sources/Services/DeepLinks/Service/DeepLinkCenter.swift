import CoreNetKitSystem

/// Keeps links until the app can open them, and delivers each exactly once.
///
/// Pass each source to ``receive(_:)``, and report when the app can show a page, whether the user has signed in, and the
/// profile. Links are delivered through ``links``, ``next()`` or ``deliver(_:)``, to the first receiver; ``arrivals``,
/// ``nextArrival()`` and ``deliverArrival(_:)`` also give their source. A link that must not be opened is rejected with
/// a reason, and never replaces a waiting link. Safe from any thread.
public final class DeepLinkCenter<Link: Sendable>: Sendable {
    typealias Queue = DeepLinkQueue<Link>

    private let now: @Sendable () -> Duration
    private let onRejected: @Sendable (DeepLinkError, DeepLinkSource) -> Void
    private let onUnconfirmed: @Sendable (DeepLinkArrival<Link>) -> Void
    let onDelivered: @Sendable (DeepLinkArrival<Link>) -> Void
    let queue: Locked<Queue>

    /// Creates a center.
    ///
    /// - Parameters:
    ///   - parser: The pages of the app.
    ///   - policy: The handling of a waiting link when another one arrives.
    ///   - timeToLive: How long a link waits; `nil` for no limit. Expiry is checked at the next call; there is no timer.
    ///   - duplicateWindow: How long a repeated source counts as the same tap, unless another source arrived in between; the
    ///     system may report one twice. A notification with an id counts as the same tap without a time limit.
    ///   - clock: The clock.
    ///   - onRejected: Called with every link that is not delivered, on the thread that caused it; for the log.
    ///   - onUnconfirmed: Called with every link that waits for ``confirm(_:)``; ask the user there.
    ///   - onDelivered: Called once with every delivered link; for statistics.
    public init<C: Clock>(
        parser: DeepLinkParser<Link>,
        policy: DeepLinkPolicy = .latestWins,
        timeToLive: Duration? = nil,
        duplicateWindow: Duration = .seconds(2),
        clock: C = ContinuousClock(),
        onRejected: @escaping @Sendable (DeepLinkError, DeepLinkSource) -> Void = { _, _ in },
        onUnconfirmed: @escaping @Sendable (DeepLinkArrival<Link>) -> Void = { _ in },
        onDelivered: @escaping @Sendable (DeepLinkArrival<Link>) -> Void = { _ in }
    ) where C.Duration == Duration {
        let start = clock.now
        self.now = { start.duration(to: clock.now) }
        (self.onUnconfirmed, self.onDelivered, self.onRejected) = (onUnconfirmed, onDelivered, onRejected)
        queue = Locked(Queue(parser: parser, policy: policy, timeToLive: timeToLive, duplicateWindow: duplicateWindow))
    }

    deinit { discard() }

    /// The pages of the app; waiting links are not parsed again.
    public var parser: DeepLinkParser<Link> {
        get { queue.withLock { $0.parser } }
        set { queue.withLock { $0.parser = newValue } }
    }

    /// The content of the center.
    public var state: DeepLinkState<Link> {
        update { queue in
            if !queue.entries.isEmpty { return .pending(queue.entries.map(\.arrival.link)) }
            return queue.deliveredLink.map { .delivered($0) } ?? .idle
        }
    }

    /// The links that wait for the user's confirmation.
    public var unconfirmed: [DeepLinkArrival<Link>] {
        update { $0.entries.filter { !$0.isConfirmed }.map(\.arrival) }
    }

    /// Takes a source, and delivers its link as soon as it may be opened; returns whether it is a link of the app:
    /// delivered, waiting, or a duplicate.
    @discardableResult
    public func receive(_ source: DeepLinkSource) -> Bool {
        do {
            let (arrival, route) = try parser.resolve(source)
            let isConfirmed = !route.confirmation.contains(arrival.sourceKind)
            let entry = Queue.Entry(arrival: arrival, route: route, since: now(), isConfirmed: isConfirmed)
            let (isTaken, effects) = queue.withLock { $0.receive(entry) }
            perform(effects)
            return isTaken
        } catch {
            onRejected(error, source)
            return false
        }
    }

    /// Reports whether the app can show a page.
    public func setReady(_ isReady: Bool) { update { $0.isReady = isReady } }

    /// Reports whether the user has signed in; signing out discards the waiting links.
    public func setAuthenticated(_ isAuthenticated: Bool) {
        apply { queue, now in
            let hasSignedOut = queue.isAuthenticated && !isAuthenticated
            queue.isAuthenticated = isAuthenticated
            return hasSignedOut ? queue.discard() : queue.deliverDue(at: now)
        }
    }

    /// Sets the profile; links that are not for it are rejected, including waiting ones.
    ///
    /// Until a profile is set, links to pages of certain profiles wait.
    /// - Parameter profile: The name of the profile, as in the routes.
    public func setProfile(_ profile: String?) { update { $0.profile = profile } }

    /// Confirms a link that waits for the user, from ``unconfirmed``.
    public func confirm(_ arrival: DeepLinkArrival<Link>) { apply { $0.confirm(arrival.source, true, at: $1) } }

    /// Rejects a link that waits for the user, from ``unconfirmed``.
    public func refuse(_ arrival: DeepLinkArrival<Link>) { apply { $0.confirm(arrival.source, false, at: $1) } }

    /// Drops the waiting links, and cancels the observers of ``next()``; the loops over ``links`` continue.
    public func discard() { apply { queue, _ in queue.discard() } }

    /// Drops expired links, changes the queue, and delivers the links that may be opened.
    func update<Result>(_ change: (inout Queue) -> Result) -> Result {
        let now = now()
        let (result, before, after) = queue.withLock { queue in
            let before = queue.deliverDue(at: now)
            let result = change(&queue)
            return (result, before, queue.deliverDue(at: now))
        }
        perform(before)
        perform(after)
        return result
    }

    private func apply(_ change: (inout Queue, _ now: Duration) -> Queue.Effects) {
        let now = now()
        perform(queue.withLock { change(&$0, now) })
    }

    private func perform(_ effects: Queue.Effects) {
        for (arrival, waiter) in effects.deliveries {
            waiter.deliver(arrival)
            onDelivered(arrival)
        }
        for waiter in effects.cancelled { waiter.cancel() }
        for arrival in effects.unconfirmed { onUnconfirmed(arrival) }
        for (reason, source) in effects.rejected { onRejected(reason, source) }
    }
}

/// The handling of a waiting link when another one arrives.
public enum DeepLinkPolicy: Sendable, Hashable {
    /// The new link replaces it.
    case latestWins
    /// Up to `max` links wait in order; further ones are rejected.
    case queue(max: Int)
}

/// The content of a ``DeepLinkCenter``.
public enum DeepLinkState<Link: Sendable>: Sendable {
    /// There is no link.
    case idle
    /// Links wait, in this order.
    case pending([Link])
    /// No link waits, and this was the last one delivered; with ``DeepLinkCenter/deliver(_:)`` only while its closure
    /// runs.
    case delivered(Link)
}

extension DeepLinkState: Equatable where Link: Equatable {}
