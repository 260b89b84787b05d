import CoreNetKitSystem
import Synchronization

/// The shared part of an observer: state, lock and delivery.
///
/// Sources and derived observers hold the core, so an observer that is not kept still delivers.
package final class ObserverCore: Sendable {
    typealias State = ObserverState

    private static let lastSubscription = Atomic<Int>(0)

    let executor: DeliveryExecutor
    /// Whether an operator created this core: it follows a source, and may detach from it.
    let isDerived: Bool
    private let state = Locked(State())

    init(executor: DeliveryExecutor, isDerived: Bool = false) {
        self.executor = executor
        self.isDerived = isDerived
    }

    /// A new number, for a listener or a relay of an operator.
    static func newSubscription() -> Int { lastSubscription.add(1, ordering: .relaxed).newValue }

    /// Changes the state, and does what follows from that outside the lock.
    func change(_ change: (inout State, inout State.Effects) -> Void) {
        let effects = state.withLock { state in
            var effects = State.Effects()
            change(&state, &effects)
            return effects
        }
        if effects.startsDrain { startDrain(on: effects.drainIsolation) }
        if effects.startsRelay { relayEvents() }
        effects.cancelled.forEach { $0.cancel() }
        effects.detached.forEach { $0.detach() }
    }

    func emit(_ outcome: ObserverOutcome, ending: Int = 0) {
        change { $0.emit(outcome, ending: ending, &$1) }
    }

    package func finish() { change { $0.finish(&$1) } }

    /// Cancels this observer and its sources; listeners that were not called yet receive the cancellation.
    func cancel() { change { $0.cancel(&$1) } }

    /// Passes on a cancellation from a source: an outcome that is already being delivered remains valid.
    func cancelFromSource() { change { $0.cancelIfOpen(&$1) } }

    func detach() { change { $0.detach(&$1) } }

    func subscribe(
        _ kind: ObserverListener.Kind,
        on isolation: (any Actor)?,
        as id: Int = 0,
        _ call: @escaping ObserverListener.Call
    ) {
        let listener = ObserverListener(id: id, kind: kind, isolation: isolation, call: call)
        change { $0.subscribe(listener, &$1) }
    }

    /// Calls `receive` for every event on the emitting thread, in order and one at a time, until it returns false.
    func relay(as id: Int = ObserverCore.newSubscription(), _ receive: @escaping @Sendable (ObserverEvent) -> Bool) {
        change { $0.add(relay: State.Relay(id: id, receive: receive), &$1) }
    }

    /// Registers `source` to be cancelled with this observer, which with `emits` ends only after the source has ended.
    func add(source: State.Source, emits: Bool = false) {
        change { $0.add(source: source, emits: emits, &$1) }
    }

    func removeSource(_ subscription: Int) {
        change { $0.removeSource(subscription, &$1) }
    }

    /// The observers that this one still follows.
    var upstream: [ObserverCore] { state.withLock { $0.sources.elements.compactMap(\.core) } }

    var isOpen: Bool { state.withLock { $0.phase == .open } }

    /// The outcome that a new listener would receive.
    func takeCurrentOutcome() -> ObserverOutcome? { state.withLock { $0.takeCurrentOutcome() } }
}

// MARK: - Delivery

extension ObserverCore {
    /// Starts the task that calls the listeners of one isolation; there is one such task at a time.
    private func startDrain(on isolation: (any Actor)?) {
        guard let actor = isolation else {
            Task.detached(executorPreference: executor, priority: .userInitiated) { await self.deliver(isolation: nil) }
            return
        }
        if actor === MainActor.shared {
            // Avoids a start on another thread.
            let deliver: @MainActor @Sendable () async -> Void = { await self.deliver(isolation: MainActor.shared) }
            Task.detached(priority: .userInitiated, operation: deliver)
        } else {
            Task.detached(priority: .userInitiated) { await self.deliver(isolation: actor) }
        }
    }

    /// Calls the listeners of one isolation; each is taken from the queue just before its call, so that none is called
    /// after `cancel()` has returned.
    private func deliver(isolation: isolated (any Actor)?) async {
        while let delivery = state.withLock({ $0.claim(on: isolation) }) {
            await delivery.listener.call(delivery.event)
        }
        change { $0.endDrain(&$1) }
    }

    private func relayEvents() {
        while let next = state.withLock({ $0.nextRelayDelivery() }) {
            next.relays.forEach { relay in
                if !relay.receive(next.event) { change { $0.relays.remove(relay.id, into: &$1.droppedRelays) } }
            }
        }
    }
}
