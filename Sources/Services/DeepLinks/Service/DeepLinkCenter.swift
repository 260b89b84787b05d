import CoreNetKitSystem

/// Keeps links until the app can open them, and delivers each exactly once.
///
/// Pass each source to ``receive(_:)``; the app reports when it can show a page, who has signed in and in which
/// profile. Links are delivered through ``links``, ``next()`` or ``deliver(_:)``, whichever asks first; ``arrivals``,
/// ``nextArrival()`` and ``deliverArrival(_:)`` also give their origin. A link that must not be opened is rejected with
/// a reason, and never replaces a waiting link. Safe from any thread.
public final class DeepLinkCenter<Link: Sendable>: Sendable {
    typealias Queue = DeepLinkQueue<Link>

    private let now: @Sendable () -> Duration
    private let onRejected: @Sendable (DeepLinkError, DeepLinkSource) -> Void
    private let onUnconfirmed: @Sendable (DeepLinkArrival<Link>) -> Void
    private let onDelivered: @Sendable (DeepLinkArrival<Link>) -> Void
    let queue: Locked<Queue>

    /// Creates a center.
    ///
    /// - Parameters:
    ///   - parser: The pages of the app.
    ///   - policy: What becomes of a link that waits when another one comes.
    ///   - timeToLive: How long a link waits; `nil` for ever. Expiry shows at the next call, no timer runs.
    ///   - duplicateWindow: How long the same source is taken for the same tap, unless another one came in between; the
    ///     system may report one twice. A notification with an id is the same tap for ever.
    ///   - clock: The clock.
    ///   - onRejected: Called with every link that is not delivered, on the thread that caused it; for the log.
    ///   - onUnconfirmed: Called with every link that waits for ``confirm(_:)``; the place to ask the user.
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
        self.onUnconfirmed = onUnconfirmed
        self.onDelivered = onDelivered
        self.onRejected = onRejected
        queue = Locked(
            Queue(parser: parser, policy: policy, timeToLive: timeToLive, duplicateWindow: duplicateWindow)
        )
    }

    deinit {
        discard()
    }

    /// The pages of the app; what waits already is not read again.
    public var parser: DeepLinkParser<Link> {
        get { queue.withLock { $0.parser } }
        set { queue.withLock { $0.parser = newValue } }
    }

    /// What the center holds.
    public var state: DeepLinkState<Link> {
        update { queue in
            if !queue.entries.isEmpty { return .pending(queue.entries.map(\.arrival.link)) }
            return queue.delivered.map { .delivered($0) } ?? .idle
        }
    }

    /// The links that wait until the user has confirmed them.
    public var unconfirmed: [DeepLinkArrival<Link>] {
        update { $0.entries.filter { !$0.isConfirmed }.map(\.arrival) }
    }

    /// Takes a source, and delivers its link as soon as it may be opened.
    ///
    /// - Parameter source: What the system or the app came with.
    /// - Returns: Whether it is a link of the app: delivered, waiting, or a duplicate of one that is.
    @discardableResult
    public func receive(_ source: DeepLinkSource) -> Bool {
        do {
            let (arrival, route) = try parser.resolve(source)
            let entry = Queue.Entry(arrival: arrival, route: route, since: now())
            let (isTaken, effects) = queue.withLock { $0.receive(entry) }
            perform(effects)
            return isTaken
        } catch {
            onRejected(error, source)
            return false
        }
    }

    /// Says whether there is something to show a page in.
    ///
    /// - Parameter isReady: Whether links that wait for that may be delivered.
    public func setReady(_ isReady: Bool) {
        update { $0.isReady = isReady }
    }

    /// Says whether the user has signed in; signing out discards the links that wait.
    ///
    /// - Parameter isAuthenticated: Whether links that wait for that may be delivered.
    public func setAuthenticated(_ isAuthenticated: Bool) {
        let now = now()
        perform(
            queue.withLock { queue in
                let hasSignedOut = queue.isAuthenticated && !isAuthenticated
                queue.isAuthenticated = isAuthenticated
                return hasSignedOut ? queue.discard() : queue.settle(at: now)
            }
        )
    }

    /// Says in which profile the app is used; links that are not for it are rejected, those that wait too.
    ///
    /// Until a profile is set, links to pages of certain profiles wait.
    ///
    /// - Parameter profile: The name of the profile, as the routes have it.
    public func setProfile(_ profile: String?) {
        update { $0.profile = profile }
    }

    /// Confirms a link that waits for the user's agreement.
    ///
    /// - Parameter arrival: The link, as ``unconfirmed`` has it.
    public func confirm(_ arrival: DeepLinkArrival<Link>) {
        let now = now()
        perform(queue.withLock { $0.confirm(arrival.source, true, at: now) })
    }

    /// Rejects a link that waits for the user's agreement.
    ///
    /// - Parameter arrival: The link, as ``unconfirmed`` has it.
    public func refuse(_ arrival: DeepLinkArrival<Link>) {
        let now = now()
        perform(queue.withLock { $0.confirm(arrival.source, false, at: now) })
    }

    /// Drops the links that wait, and cancels the observers of ``next()``; the loops over ``links`` go on.
    public func discard() {
        perform(queue.withLock { $0.discard() })
    }

    /// Changes the queue between dropping what has expired and handing over what may be delivered.
    func update<Result>(_ change: (inout Queue) -> Result) -> Result {
        let now = now()
        let (result, before, after) = queue.withLock { queue in
            let before = queue.settle(at: now)
            let result = change(&queue)
            return (result, before, queue.settle(at: now))
        }
        perform(before)
        perform(after)
        return result
    }

    func noteDelivery(_ arrival: DeepLinkArrival<Link>) { onDelivered(arrival) }

    private func perform(_ effects: Queue.Effects) {
        for (arrival, waiter) in effects.handed {
            waiter.hand(arrival)
            onDelivered(arrival)
        }
        for waiter in effects.canceled { waiter.cancel() }
        for arrival in effects.unconfirmed { onUnconfirmed(arrival) }
        for (reason, source) in effects.rejected { onRejected(reason, source) }
    }
}

/// What becomes of a link that waits when another one comes.
public enum DeepLinkPolicy: Sendable, Hashable {
    /// The new one takes its place.
    case latestWins
    /// Up to `max` wait in order; one more is rejected.
    case queue(max: Int)
}

/// What a ``DeepLinkCenter`` holds.
public enum DeepLinkState<Link: Sendable>: Sendable {
    /// Nothing.
    case idle
    /// Links that wait, in order.
    case pending([Link])
    /// Nothing but the memory of the last delivery; with ``DeepLinkCenter/deliver(_:)`` only while its closure runs.
    case delivered(Link)
}

extension DeepLinkState: Equatable where Link: Equatable {}
