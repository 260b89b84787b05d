public import CoreNetKit
import CoreNetKitSystem

// The three ways out, each with the link alone and with where it came from.
extension DeepLinkCenter {
    /// Waits for one link.
    ///
    /// - Returns: An observer that completes once; it is cancelled when the last link that waits is discarded, has
    ///   expired, or is not for a new profile. Cancelling it leaves the link to the next one who asks.
    public func next() -> Observer<Link> { wait { $0.link } }

    /// Waits for one link, and returns its origin, too.
    ///
    /// - Returns: An observer as that of ``next()``.
    public func nextArrival() -> Observer<DeepLinkArrival<Link>> { wait { $0 } }

    /// The links from now on, one after another; each goes to one loop only.
    public var links: AsyncStream<Link> {
        AsyncStream { await self.nextInLoop()?.link }
    }

    /// The links from now on with where they came from; each goes to one loop only.
    public var arrivals: AsyncStream<DeepLinkArrival<Link>> {
        AsyncStream { await self.nextInLoop() }
    }

    /// Passes the first link that may be opened to a closure, at once; for an app that asks when it becomes active.
    ///
    /// - Parameter navigate: Opens the page; the center is idle again when it comes back.
    /// - Returns: Whether there was a link.
    /// - Throws: What the closure throws; the link is delivered nevertheless.
    @discardableResult
    public func deliver<Failure: Error>(_ navigate: (Link) throws(Failure) -> Void) throws(Failure) -> Bool {
        try deliverArrival { (arrival) throws(Failure) in try navigate(arrival.link) }
    }

    /// Passes the first link that may be opened to a closure, with its origin.
    ///
    /// - Parameter navigate: Opens the page; the center is idle again when it comes back.
    /// - Returns: Whether there was a link.
    /// - Throws: What the closure throws; the link is delivered nevertheless.
    @discardableResult
    public func deliverArrival<Failure: Error>(
        _ navigate: (DeepLinkArrival<Link>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard let arrival = update({ $0.take() }) else { return false }
        defer { queue.withLock { $0.delivered = nil } }
        noteDelivery(arrival)
        try navigate(arrival)
        return true
    }

    private func wait<Model>(_ model: @escaping @Sendable (DeepLinkArrival<Link>) -> Model) -> Observer<Model> {
        let id = queue.withLock { $0.makeID() }
        let context = Context<Model>(onCancel: { [weak self] in
            _ = self?.queue.withLock { $0.removeWaiter(id: id) }
        })
        let waiter = Queue.Waiter(
            id: id,
            isOneShot: true,
            hand: { context.complete(data: model($0)) },
            cancel: { context.cancel() }
        )
        update { $0.add(waiter) }
        return context
    }

    private func nextInLoop() async -> DeepLinkArrival<Link>? {
        let id = queue.withLock { $0.makeID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Queue.Waiter(
                    id: id,
                    isOneShot: false,
                    hand: { continuation.resume(returning: $0) },
                    cancel: { continuation.resume(returning: nil) }
                )
                update { $0.add(waiter) }
                // The handler may have run before there was anything to remove.
                if Task.isCancelled { endWait(id) }
            }
        } onCancel: {
            endWait(id)
        }
    }

    private func endWait(_ id: Int) {
        queue.withLock { $0.removeWaiter(id: id) }?.cancel()
    }
}
