/// The state of an observer: its functions decide, and leave work for outside the lock in `Effects`.
struct ObserverState: Sendable {
    typealias Event = ObserverEvent
    typealias Listener = ObserverListener
    typealias Delivery = ObserverDelivery

    /// A receiver that is called directly on the emitting thread; `receive` returns whether it needs more events.
    struct Relay: Sendable, QueueRemovable {
        let id: Int
        let receive: @Sendable (Event) -> Bool

        var removalKey: Int? { id }
    }

    /// An event in delivery to its relays.
    struct RelayDelivery: Sendable, QueueRemovable {
        let relays: RemovalQueue<Relay>
        let event: Event

        var removalKey: Int? { nil }
    }

    /// The upstream sources that are cancelled with this observer.
    struct Source: Sendable, QueueRemovable {
        var core: ObserverCore?
        /// The listener or relay through which this observer follows the source, or the number of an operator's closure; 0 for
        /// a handler that stays.
        var subscription = 0
        var handler: (@Sendable () -> Void)?

        var removalKey: Int? { subscription == 0 ? nil : subscription }

        func cancel() {
            core?.cancel()
            handler?()
        }

        /// Stops following the source, which continues; a handler of an operator's closure is called, because that ends
        /// with this observer.
        func detach() {
            core?.change { $0.removeSubscription(subscription, &$1) }
            if core == nil, subscription != 0 { handler?() }
        }
    }

    /// Work for after the release of the lock.
    struct Effects: Sendable {
        /// Whether deliveries start, and the isolation in which they do.
        var startsDrain = false
        var drainIsolation: (any Actor)?
        var startsRelay = false
        var cancelled = RemovalQueue<Source>()
        /// Sources that continue without this observer.
        var detached = RemovalQueue<Source>()
        // Moved out, so that they are released outside the lock: a deinit may run foreign code.
        var droppedListeners = RemovalQueue<Listener>()
        var droppedDeliveries = RemovalQueue<Delivery>()
        var droppedOutcome: ObserverOutcome?
        var droppedSources = RemovalQueue<Source>()
        var droppedRelays = RemovalQueue<Relay>()
    }

    enum Phase { case open, finished, cancelled }

    var phase = Phase.open
    var last: ObserverOutcome?
    /// Counts the outcomes, to tell apart `defer` listeners of different outcomes.
    var generation = 0
    /// The generation of the last listener that was called.
    var calledGeneration = 0
    /// Whether a relay or `value` has received the last outcome.
    var isConsumed = false
    /// The number of sources that may still emit.
    var producers = 1
    var listeners = RemovalQueue<Listener>()
    var deliveries = RemovalQueue<Delivery>()
    var isDraining = false
    var relays = RemovalQueue<Relay>()
    var relayDeliveries = RemovalQueue<RelayDelivery>()
    var isRelaying = false
    var sources = RemovalQueue<Source>()
    /// Sources that continue after one of several has failed, for a later `cancel()`.
    var continuingSources = RemovalQueue<Source>()
    /// Whether the observer of this state still exists.
    var isObserverAlive = true
}

// MARK: - Ends and outcomes

extension ObserverState {
    /// Takes an outcome; `ending` is the number of sources that will not emit again.
    mutating func emit(_ outcome: ObserverOutcome, ending: Int, _ effects: inout Effects) {
        guard phase == .open else { return }
        // A `CancellationError` is a cancellation, never an error value.
        if case .failure(let error) = outcome, error is CancellationError { return cancel(&effects) }
        producers -= ending
        let isLast = producers <= 0
        effects.droppedOutcome = last
        last = outcome
        isConsumed = false
        generation += 1
        let event = Event.outcome(outcome, isLast: isLast)
        if isLast { close(.finished, &effects) }
        announce(event, &effects)
        scheduleDelivery(&effects)
        detachIfUnused(&effects)
    }

    /// Takes the error that ends the observer, although other sources still run.
    mutating func fail(_ outcome: ObserverOutcome, from subscription: Int, _ effects: inout Effects) {
        let others = sources.elements.filter { $0.subscription != subscription }
        emit(outcome, ending: .max, &effects)
        guard phase == .finished else { return }
        if isObserverAlive {
            continuingSources.replaceAll(with: others)
        } else {
            effects.detached.replaceAll(with: others)
        }
    }

    /// Removes one source that will not emit again; if the last one ends without an outcome, the observer is cancelled.
    mutating func finish(_ effects: inout Effects) {
        guard phase == .open else { return }
        producers -= 1
        guard producers <= 0 else { return }
        guard last != nil else { return cancel(&effects) }
        close(.finished, &effects)
        announce(.finished, &effects)
        scheduleDelivery(&effects)
    }

    /// Ends the observer in cancellation for all listeners that were not called yet.
    mutating func cancel(_ effects: inout Effects) {
        switch phase {
        case .cancelled: return
        // A listener has already received the end of the call; all others receive the same.
        case .finished where calledGeneration == generation || (isConsumed && deliveries.isEmpty):
            return swap(&continuingSources, &effects.cancelled)
        case .finished, .open: break
        }
        // A `defer` whose outcome was delivered must still be called.
        let remaining = deliveries.elements.prefix { $0.isLast && $0.generation == calledGeneration }
        effects.droppedDeliveries = deliveries
        deliveries.replaceAll(with: remaining)
        close(.cancelled, &effects)
        swap(&effects.cancelled, &effects.droppedSources)
        continuingSources.forEach { effects.cancelled.append($0) }
        continuingSources = RemovalQueue()
        swap(&last, &effects.droppedOutcome)
        generation += 1
        announce(.cancelled, &effects)
        scheduleDelivery(&effects)
    }

    mutating func cancelIfOpen(_ effects: inout Effects) { if phase == .open { cancel(&effects) } }

    /// Ends this observer in cancellation; its sources continue without it.
    mutating func detach(_ effects: inout Effects) {
        cancelIfOpen(&effects)
        swap(&effects.cancelled, &effects.detached)
    }

    mutating func close(_ phase: Phase, _ effects: inout Effects) {
        self.phase = phase
        swap(&sources, &effects.droppedSources)
    }

    /// Queues an event for every listener of its kind, `defer` listeners last.
    mutating func announce(_ event: Event, _ effects: inout Effects) {
        queue(event) { !$0.kind.isLast }
        queue(event) { $0.kind.isLast }
        guard !relays.isEmpty else { return }
        isConsumed = true
        relayDeliveries.append(RelayDelivery(relays: relays, event: event))
        if phase != .open { swap(&relays, &effects.droppedRelays) }
    }

    private mutating func queue(_ event: Event, where isMeant: (Listener) -> Bool) {
        listeners.forEach { listener in
            guard isMeant(listener), listener.wants(event) else { return }
            deliveries.append(Delivery(listener: listener, event: event, generation: generation))
        }
    }

    mutating func scheduleDelivery(_ effects: inout Effects) {
        if !isDraining, let first = deliveries.first {
            isDraining = true
            (effects.startsDrain, effects.drainIsolation) = (true, first.listener.isolation)
        }
        if !isRelaying, !relayDeliveries.isEmpty {
            isRelaying = true
            effects.startsRelay = true
        }
        // After the delivery of the end, no listener can be called again.
        if phase != .open, !isDraining { swap(&listeners, &effects.droppedListeners) }
    }
}
