import CoreNetKitTransport

/// What can be cancelled from downstream, whatever its model is.
protocol CancelableCore: AnyObject, Sendable {
    func cancel()
}

/// The shared part of an observer: state, lock and delivery.
///
/// Sources and derived observers hold the core, so an observer that nobody keeps still delivers.
package final class ObserverCore<Model: Sendable>: CancelableCore {
    typealias State = ObserverState<Model>

    let executor: DeliveryExecutor
    private let state = Locked(State())

    init(executor: DeliveryExecutor) {
        self.executor = executor
    }

    func emit(_ outcome: Result<Model, any Error>, ending: Int = 0) {
        perform(state.withLock { $0.emit(outcome, ending: ending) })
    }

    func finish() {
        perform(state.withLock { $0.finish() })
    }

    package func cancel() {
        cancel(upstream: true)
    }

    /// Ends this observer in cancellation; its source goes on if `upstream` is false.
    func cancel(upstream: Bool) {
        var effects = state.withLock { $0.cancel() }
        if !upstream { effects.canceled = [] }
        perform(effects)
    }

    func subscribe(_ listener: ObserverListener<Model>) {
        perform(state.withLock { $0.subscribe(listener) })
    }

    func unsubscribe() {
        perform(state.withLock { $0.unsubscribe() })
    }

    /// Calls `tell` for every event, on the thread that emits, in order, one at a time, until it returns false.
    func relay(_ tell: @escaping @Sendable (ObserverEvent<Model>) -> Bool) {
        perform(state.withLock { $0.add(relay: tell) })
    }

    /// Cancels `source` with this observer, at once if it is cancelled already.
    ///
    /// `emits` says that the source is one more that must end before this observer ends.
    func add(source: State.Source, emits: Bool = false) {
        perform(state.withLock { $0.add(source: source, emits: emits) })
    }

    func remove(source: any CancelableCore) {
        perform(state.withLock { $0.remove(source: source) })
    }

    func reach() -> Result<Model, any Error>? {
        state.withLock { $0.reach() }
    }

    private func perform(_ effects: State.Effects) {
        if effects.startsDrain { startDrain(onMainActor: effects.startsOnMainActor) }
        if effects.startsRelay { relayEvents() }
        for source in effects.canceled { source.cancel() }
    }
}

// MARK: - Delivery

extension ObserverCore {
    private func startDrain(onMainActor: Bool) {
        // Starting on the main actor saves the hop from the main queue's executor to the main actor's.
        if onMainActor {
            let drain: @MainActor @Sendable () async -> Void = { await self.drain(isolation: MainActor.shared) }
            Task.detached(executorPreference: executor, priority: .userInitiated, operation: drain)
        } else {
            Task.detached(executorPreference: executor, priority: .userInitiated) {
                await self.drain(isolation: nil)
            }
        }
    }

    private func drain(isolation: isolated (any Actor)?) async {
        var hop = await deliver(isolation: isolation)
        while case .next(let actor) = hop { hop = await deliver(isolation: actor) }
    }

    /// Calls the listeners of one isolation; each is taken from the queue only when it can be called at once,
    /// so that nobody is called after `cancel()` came back.
    private func deliver(isolation: isolated (any Actor)?) async -> DeliveryHop {
        while true {
            while let delivery = state.withLock({ $0.claim(on: isolation) }) {
                await delivery.call(isolation: isolation)
            }
            let (hop, effects) = state.withLock { $0.nextHop() }
            perform(effects)
            if case .next(let actor) = hop, actor === isolation { continue }
            return hop
        }
    }

    private func relayEvents() {
        while let next = state.withLock({ $0.nextRelayed() }) {
            for relay in next.relays where !relay.tell(next.event) {
                _ = state.withLock { $0.remove(relay: relay.id) }
            }
        }
    }
}
