import CoreNetKitHTTP
import CoreNetKitSystem

/// The shared part of an observer: state, lock and delivery.
///
/// Sources and derived observers hold the core, so an observer that nobody keeps still delivers.
package final class ObserverCore: Sendable {
    typealias State = ObserverState

    let executor: DeliveryExecutor
    private let state = Locked(State())

    init(executor: DeliveryExecutor) {
        self.executor = executor
    }

    /// Takes an outcome; `ending` sources will not emit again.
    func emit(_ outcome: Outcome, ending: Int = 0) {
        perform(state.withLock { $0.emit(outcome, ending: ending) })
    }

    /// One source will not emit again.
    package func finish() {
        perform(state.withLock { $0.finish() })
    }

    /// Cancels this observer and its sources for everybody who was not called yet.
    func cancel() {
        perform(state.withLock { $0.cancel() })
    }

    /// Passes a cancellation on that comes from a source: an outcome that is on its way already stands.
    func cancelFromSource() {
        perform(state.withLock { $0.cancelIfOpen() })
    }

    /// Ends this observer in cancellation; its source goes on.
    func cancelAlone() {
        var effects = state.withLock { $0.cancelIfOpen() }
        effects.canceled = ShortQueue()
        perform(effects)
    }

    func subscribe(_ kind: ObserverListener.Kind, on isolation: (any Actor)?, _ call: @escaping ObserverListener.Call) {
        let listener = ObserverListener(kind: kind, isolation: isolation, call: call)
        perform(state.withLock { $0.subscribe(listener) })
    }

    func unsubscribe() {
        perform(state.withLock { $0.unsubscribe() })
    }

    /// Calls `tell` for every event, on the thread that emits, in order, one at a time, until it returns false.
    func relay(_ tell: @escaping @Sendable (ObserverEvent) -> Bool) {
        perform(state.withLock { $0.add(relay: tell) })
    }

    /// Cancels `source` with this observer, at once if it is cancelled already.
    ///
    /// `emits` says that the source is one more that must end before this observer ends.
    func add(source: State.Source, emits: Bool = false) {
        perform(state.withLock { $0.add(source: source, emits: emits) })
    }

    func remove(source: ObserverCore) {
        perform(state.withLock { $0.remove(source: source) })
    }

    /// The outcome that a new listener would be told.
    func reach() -> Outcome? {
        state.withLock { $0.reach() }
    }

    private func perform(_ effects: State.Effects) {
        if let drain = effects.drain { start(drain) }
        if effects.startsRelay { relayEvents() }
        effects.canceled.forEach { $0.cancel() }
    }
}

// MARK: - Delivery

extension ObserverCore {
    /// Starts the task that calls the listeners of one isolation; there is one such task at a time.
    private func start(_ drain: DrainStart) {
        guard let actor = drain.isolation else {
            Task.detached(executorPreference: executor, priority: .userInitiated) { await self.deliver(isolation: nil) }
            return
        }
        if actor === MainActor.shared {
            // Saves the start on another thread.
            let deliver: @MainActor @Sendable () async -> Void = { await self.deliver(isolation: MainActor.shared) }
            Task.detached(priority: .userInitiated, operation: deliver)
        } else {
            Task.detached(priority: .userInitiated) { await self.deliver(isolation: actor) }
        }
    }

    /// Calls the listeners of one isolation; each is taken from the queue only when it can be called at once,
    /// so that nobody is called after `cancel()` came back.
    private func deliver(isolation: isolated (any Actor)?) async {
        while let delivery = state.withLock({ $0.claim(on: isolation) }) {
            await delivery.listener.call(delivery.event)
        }
        perform(state.withLock { $0.endDrain() })
    }

    private func relayEvents() {
        while let next = state.withLock({ $0.nextRelayed() }) {
            for relay in next.relays where !relay.tell(next.event) {
                _ = state.withLock { $0.remove(relay: relay.id) }
            }
        }
    }
}
