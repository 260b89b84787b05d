public import CoreNetKit
import Guarding

/// Keeps links until the app can open them, and delivers each exactly once.
///
/// Whoever comes with a source calls ``receive(_:)``; the app says when it can show a page, who has signed in and in
/// which profile. Links come out of ``links``, ``next()`` or ``deliver(_:)``, whichever asks first. What nobody may
/// open is rejected with a reason, and never takes the place of a link that waits. Safe from any thread.
public final class DeepLinkCenter<Link: Sendable>: Sendable {
    private typealias Queue = DeepLinkQueue<Link>

    private let parser: DeepLinkParser<Link>
    private let now: @Sendable () -> Duration
    private let onRejected: @Sendable (DeepLinkError, DeepLinkSource) -> Void
    private let queue: Guarded<Queue>

    /// Creates a center.
    ///
    /// - Parameters:
    ///   - parser: The pages of the app.
    ///   - policy: What becomes of a link that waits when another one comes.
    ///   - timeToLive: How long a link waits; `nil` for ever. Expiry shows at the next call, no timer runs.
    ///   - duplicateWindow: How long the same source is taken for the same tap; the system may report one twice.
    ///   - clock: What tells the time.
    ///   - onRejected: Called with every link that is not delivered, on the thread that caused it; for the log.
    public init<C: Clock>(
        parser: DeepLinkParser<Link>,
        policy: DeepLinkPolicy = .latestWins,
        timeToLive: Duration? = nil,
        duplicateWindow: Duration = .seconds(2),
        clock: C = ContinuousClock(),
        onRejected: @escaping @Sendable (DeepLinkError, DeepLinkSource) -> Void = { _, _ in }
    ) where C.Duration == Duration {
        let start = clock.now
        self.parser = parser
        self.now = { start.duration(to: clock.now) }
        self.onRejected = onRejected
        queue = Guarded(Queue(policy: policy, timeToLive: timeToLive, duplicateWindow: duplicateWindow))
    }

    deinit {
        discard()
    }

    /// What the center holds.
    public var state: DeepLinkState<Link> {
        update { queue in
            if !queue.entries.isEmpty { return .pending(queue.entries.map(\.link)) }
            return queue.delivered.map { .delivered($0) } ?? .idle
        }
    }

    // MARK: - In

    /// Takes a source, and delivers its link as soon as it may be opened.
    ///
    /// - Parameter source: What the system or the app came with.
    /// - Returns: Whether it is a link of the app: delivered, waiting, or a duplicate of one that is.
    @discardableResult
    public func receive(_ source: DeepLinkSource) -> Bool {
        do {
            let (link, route) = try parser.resolve(source)
            let entry = Queue.Entry(link: link, route: route, source: source, since: now())
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

    /// Drops the links that wait, and cancels the observers of ``next()``; the loops over ``links`` go on.
    public func discard() {
        perform(queue.withLock { $0.discard() })
    }

    // MARK: - Out

    /// Waits for one link.
    ///
    /// - Returns: An observer that completes once; it is cancelled when the last link that waits is discarded, has
    ///   expired, or is not for a new profile. Cancelling it leaves the link to the next one who asks.
    public func next() -> Observer<Link> {
        let id = queue.withLock { $0.makeID() }
        let context = Context<Link>(onCancel: { [weak self] in
            _ = self?.queue.withLock { $0.removeWaiter(id: id) }
        })
        update { $0.add(.observer(context), id: id) }
        return context
    }

    /// The links from now on, one after another; each goes to one loop only.
    public var links: AsyncStream<Link> {
        AsyncStream { await self.nextLink() }
    }

    /// Hands the first link that may be opened to a closure, at once; for an app that asks when it becomes active.
    ///
    /// - Parameter navigate: Opens the page; the center is idle again when it comes back.
    /// - Returns: Whether there was a link.
    /// - Throws: What the closure throws; the link is delivered nevertheless.
    @discardableResult
    public func deliver<Failure: Error>(_ navigate: (Link) throws(Failure) -> Void) throws(Failure) -> Bool {
        guard let link = update({ $0.take() }) else { return false }
        defer { queue.withLock { $0.delivered = nil } }
        try navigate(link)
        return true
    }

    private func nextLink() async -> Link? {
        let id = queue.withLock { $0.makeID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                update { $0.add(.stream(continuation), id: id) }
                // The handler may have run before there was anything to remove.
                if Task.isCancelled { endWait(id) }
            }
        } onCancel: {
            endWait(id)
        }
    }

    private func endWait(_ id: Int) {
        if case .stream(let continuation) = queue.withLock({ $0.removeWaiter(id: id) }) {
            continuation.resume(returning: nil)
        }
    }

    /// Changes the queue between dropping what has expired and handing over what may be delivered.
    private func update<Result>(_ change: (inout Queue) -> Result) -> Result {
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

    private func perform(_ effects: Queue.Effects) {
        for (link, waiter) in effects.handed {
            switch waiter {
            case .observer(let context): context.emit(data: link)
            case .stream(let continuation): continuation.resume(returning: link)
            }
        }
        for case .observer(let context) in effects.canceled { context.cancel() }
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
