public import CoreNetKit
import CoreNetKitSystem

extension AlarmList {
    /// Calls a closure with the alarms of the list: now, when they are loaded already, after each load, and after each
    /// change, in order; not when a load begins.
    ///
    /// - Parameter listener: Called on its own actor, otherwise on the main queue. It is kept as long as the list is.
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

    /// What the list shows: now, and after each change, that a load begins included; one that a slow reader missed is left out for the next.
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
        // What is removed may call back when it goes: not under the lock.
        let removed = state.withLock { $0.subscribers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
