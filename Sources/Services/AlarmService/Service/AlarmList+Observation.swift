public import CoreNetKit
import CoreNetKitSystem

extension AlarmList {
    /// Calls a closure with the content of the list: now if a page is loaded, after each load, and after each change.
    ///
    /// The calls are in order; the start of a load is not reported.
    ///
    /// - Parameter listener: Called on its own actor, otherwise on the main queue. It is retained as long as the list is.
    /// - Returns: An observer whose `cancel()` ends it.
    @discardableResult
    public func bind(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (AlarmSnapshot) -> Void
    ) -> Observer<AlarmSnapshot> {
        let context = state.withLock { state -> Context<AlarmSnapshot> in
            let id = state.makeID()
            let context = Context<AlarmSnapshot> { [weak self] in self?.unsubscribe(id) }
            if !state.isClosed { state.subscribers[id] = .observer(context) }
            if state.shown.isLoaded { context.emit(data: state.shown) }
            return context
        }
        return context.onCompleted(listener)
    }

    /// The content of the list: now, and after each change, including the start of a load; a slow reader gets only the latest.
    public var snapshots: AsyncStream<AlarmSnapshot> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state -> Int in
                let id = state.makeID()
                continuation.yield(state.shown)
                if state.isClosed { continuation.finish() } else { state.subscribers[id] = .stream(continuation) }
                return id
            }
            continuation.onTermination = { [weak self] _ in self?.unsubscribe(id) }
        }
    }

    private func unsubscribe(_ id: Int) {
        // Released outside the lock, because its release may call back.
        let removed = state.withLock { $0.subscribers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
