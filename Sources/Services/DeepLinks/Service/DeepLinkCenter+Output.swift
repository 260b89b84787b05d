public import CoreNetKit
import CoreNetKitSystem

// The three ways to receive links, each with and without the source.
extension DeepLinkCenter {
    /// Waits for one link.
    ///
    /// - Returns: An observer that completes once. It is cancelled when the last waiting link is discarded, has expired, or
    ///   is not for a new profile. Cancelling it leaves the link to the next receiver.
    public func next() -> Observer<Link> { wait { $0.link } }

    /// Waits for one link and its source, like ``next()``.
    public func nextArrival() -> Observer<DeepLinkArrival<Link>> { wait { $0 } }

    /// The waiting links, then each new one; each is delivered to one loop only.
    public var links: AsyncStream<Link> {
        AsyncStream { await self.nextInLoop()?.link }
    }

    /// The waiting links, then each new one, with their sources; each is delivered to one loop only.
    public var arrivals: AsyncStream<DeepLinkArrival<Link>> {
        AsyncStream { await self.nextInLoop() }
    }

    /// Passes the first link that may be opened to a closure, at once; for apps that check when they become active.
    ///
    /// - Parameter navigate: Opens the page; the center is idle again when it returns.
    /// - Returns: Whether there was a link.
    /// - Throws: The error of the closure; the link counts as delivered.
    @discardableResult
    public func deliver<Failure: Error>(_ navigate: (Link) throws(Failure) -> Void) throws(Failure) -> Bool {
        try deliverArrival { (arrival) throws(Failure) in try navigate(arrival.link) }
    }

    /// Passes the first link that may be opened to a closure like ``deliver(_:)``, with its source.
    @discardableResult
    public func deliverArrival<Failure: Error>(
        _ navigate: (DeepLinkArrival<Link>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard let arrival = update({ $0.take() }) else { return false }
        defer { queue.withLock { $0.deliveredLink = nil } }
        onDelivered(arrival)
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
            deliver: { context.complete(data: model($0)) },
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
                    deliver: { continuation.resume(returning: $0) },
                    cancel: { continuation.resume(returning: nil) }
                )
                update { $0.add(waiter) }
                // The handler may have run before the waiter was added.
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
