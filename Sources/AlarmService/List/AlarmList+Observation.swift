public import CoreNetKit
import Guarding

extension AlarmList {
    /// Calls a closure with what the list shows: now, and after each change, in order.
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
            state.subscribers[id] = .observer(context)
            context.emit(data: state.shown)
            return context
        }
        return context.onCompleted(listener)
    }

    /// What the list shows: now, and after each change; one that a slow reader missed is left out for the next.
    public var snapshots: AsyncStream<AlarmSnapshot> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state -> Int in
                let id = state.makeID()
                state.subscribers[id] = .stream(continuation)
                continuation.yield(state.shown)
                return id
            }
            continuation.onTermination = { [weak self] _ in self?.unsubscribe(id) }
        }
    }

    /// Tells the subscribers, under the lock so that nobody hears of two changes in the wrong order.
    func publish(_ state: inout State) {
        var snapshot = state.list.snapshot
        snapshot.isRefreshing = state.page.map { $0.before == nil } ?? false
        snapshot.isLoadingMore = state.page.map { $0.before != nil } ?? false
        guard snapshot != state.shown else { return }
        state.shown = snapshot
        for subscriber in state.subscribers.values {
            switch subscriber {
            case .observer(let context): context.emit(data: snapshot)
            case .stream(let continuation): continuation.yield(snapshot)
            }
        }
    }

    private func unsubscribe(_ id: Int) {
        // What is removed may call back when it goes: not under the lock.
        let removed = state.withLock { $0.subscribers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
