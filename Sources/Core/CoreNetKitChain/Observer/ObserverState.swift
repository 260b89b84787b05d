/// The state of an observer: a plain value, changed under the lock of its core.
///
/// Its functions decide; work that must happen outside the lock is returned as `Effects`.
struct ObserverState: Sendable {
    typealias Event = ObserverEvent
    typealias Listener = ObserverListener
    typealias Delivery = ObserverDelivery

    /// A receiver that is called directly on the emitting thread; returns whether it wants more events.
    struct Relay: Sendable, Leaving {
        let id: Int
        let tell: @Sendable (Event) -> Bool

        var mark: Int? { id }
    }

    /// An event on its way to its relays.
    struct Relayed: Sendable {
        let relays: LeavingQueue<Relay>
        let event: Event
    }

    /// The upstream sources that are cancelled with this observer.
    struct Source: Sendable, Leaving {
        enum Mark: Hashable, Sendable {
            case core(ObjectIdentifier), handler(Int)
        }

        var core: ObserverCore?
        /// The listener or relay through which this observer follows the source.
        var subscription = 0
        var handler: (@Sendable () -> Void)?

        var mark: Mark? { core.map { .core(ObjectIdentifier($0)) } ?? .handler(subscription) }

        static func core(_ core: ObserverCore, _ subscription: Int) -> Source {
            Source(core: core, subscription: subscription)
        }
        static func handler(_ handler: @escaping @Sendable () -> Void) -> Source { Source(handler: handler) }

        func cancel() {
            core?.cancel()
            handler?()
        }

        func isCore(_ id: ObjectIdentifier) -> Bool { core.map { ObjectIdentifier($0) == id } ?? false }

        /// Stops following the source, which continues; the closure of an operator belongs to this observer and ends.
        func detach() {
            if let core { core.forget(subscription) } else if subscription != 0 { handler?() }
        }
    }

    /// The work of the core after it has released the lock.
    struct Effects: Sendable {
        var drain: DrainStart?
        var startsRelay = false
        var canceled = LeavingQueue<Source>()
        /// Sources that continue without this observer.
        var detached = LeavingQueue<Source>()
        // Only moved out of the lock, so that no foreign deinit runs under it.
        var droppedListeners = LeavingQueue<Listener>()
        var droppedDeliveries = LeavingQueue<Delivery>()
        var droppedOutcome: ObserverOutcome?
        var droppedSources = LeavingQueue<Source>()
        var droppedRelays = LeavingQueue<Relay>()
    }

    enum Phase { case open, finished, canceled }

    var phase = Phase.open
    var last: ObserverOutcome?
    /// Counts the outcomes, so that `defer` listeners can be told apart by outcome.
    var round = 0
    /// The outcome of the last listener that was called.
    var calledRound = 0
    /// Whether a relay or `value` has the last outcome.
    var isPassedOn = false
    /// How many sources may still emit.
    var producers = 1
    var listeners = LeavingQueue<Listener>()
    var deliveries = LeavingQueue<Delivery>()
    var isDraining = false
    var relays = LeavingQueue<Relay>()
    var relayed = ShortQueue<Relayed>()
    var isRelaying = false
    var sources = LeavingQueue<Source>()
    /// Sources that still run after one of several has failed: a later `cancel()` reaches them.
    var lingering = LeavingQueue<Source>()
    /// Whether the observer of this state is held.
    var isHeld = true
}

// MARK: - Ends and outcomes

extension ObserverState {
    /// Takes an outcome; `ending` sources will not emit again.
    mutating func emit(_ outcome: ObserverOutcome, ending: Int) -> Effects {
        guard phase == .open else { return Effects() }
        // Cancellation is never an error value.
        if case .failure(let error) = outcome, error is CancellationError { return cancel() }
        var effects = Effects()
        producers -= ending
        let isLast = producers <= 0
        effects.droppedOutcome = last
        last = outcome
        isPassedOn = false
        round += 1
        let event = Event.outcome(outcome, isLast: isLast)
        if isLast { close(.finished, &effects) }
        announce(event, &effects)
        settle(&effects)
        leaveIfUseless(&effects)
        return effects
    }

    /// Takes the error that ends the observer, although sources other than the failed one still run.
    mutating func fail(_ outcome: ObserverOutcome, from source: ObjectIdentifier) -> Effects {
        let others = sources.elements.filter { !$0.isCore(source) }
        var effects = emit(outcome, ending: .max)
        guard phase == .finished else { return effects }
        if isHeld {
            lingering.replaceAll(with: others)
        } else {
            effects.detached.replaceAll(with: others)
        }
        return effects
    }

    /// One source will not emit again; an observer that never got an outcome is cancelled by its last source.
    mutating func finish() -> Effects {
        guard phase == .open else { return Effects() }
        producers -= 1
        guard producers <= 0 else { return Effects() }
        guard last != nil else { return cancel() }
        var effects = Effects()
        close(.finished, &effects)
        announce(.finished, &effects)
        settle(&effects)
        return effects
    }

    /// Ends the observer for all listeners that were not called yet.
    mutating func cancel() -> Effects {
        switch phase {
        case .canceled: return Effects()
        // A listener has already received the end of the call: all others receive the same.
        case .finished where calledRound == round || (isPassedOn && deliveries.isEmpty):
            var effects = Effects()
            swap(&lingering, &effects.canceled)
            return effects
        case .finished, .open: break
        }
        // A `defer` whose outcome was delivered must still be called.
        let owed = deliveries.elements.prefix { $0.isLast && $0.round == calledRound }
        var effects = Effects()
        effects.droppedDeliveries = deliveries
        deliveries.replaceAll(with: owed)
        close(.canceled, &effects)
        swap(&effects.canceled, &effects.droppedSources)
        lingering.forEach { effects.canceled.append($0) }
        lingering = LeavingQueue()
        swap(&last, &effects.droppedOutcome)
        round += 1
        announce(.canceled, &effects)
        settle(&effects)
        return effects
    }

    var isOpen: Bool { phase == .open }

    mutating func cancelIfOpen() -> Effects {
        phase == .open ? cancel() : Effects()
    }

    /// Ends this observer in cancellation; its sources continue without it.
    mutating func detach() -> Effects {
        var effects = cancelIfOpen()
        swap(&effects.canceled, &effects.detached)
        return effects
    }

    mutating func close(_ phase: Phase, _ effects: inout Effects) {
        self.phase = phase
        swap(&sources, &effects.droppedSources)
    }

    /// Queues an event for every listener that wants it: `defer` listeners last.
    mutating func announce(_ event: Event, _ effects: inout Effects) {
        queue(event) { !$0.kind.isLast }
        queue(event) { $0.kind.isLast }
        guard !relays.isEmpty else { return }
        isPassedOn = true
        relayed.append(Relayed(relays: relays, event: event))
        if phase != .open { swap(&relays, &effects.droppedRelays) }
    }

    private mutating func queue(_ event: Event, where isMeant: (Listener) -> Bool) {
        listeners.forEach { listener in
            guard isMeant(listener), listener.wants(event) else { return }
            deliveries.append(Delivery(listener: listener, event: event, round: round))
        }
    }

    mutating func settle(_ effects: inout Effects) {
        if !isDraining, let first = deliveries.first {
            isDraining = true
            effects.drain = DrainStart(isolation: first.listener.isolation)
        }
        if !isRelaying, !relayed.isEmpty {
            isRelaying = true
            effects.startsRelay = true
        }
        dropIfIdle(&effects)
    }

    /// No listener can be called again once the end was delivered.
    mutating func dropIfIdle(_ effects: inout Effects) {
        if phase != .open, !isDraining { swap(&listeners, &effects.droppedListeners) }
    }
}

/// Where the deliveries of an observer continue.
struct DrainStart: Sendable {
    let isolation: (any Actor)?
}
