/// The state of an observer: a plain value, changed under the lock of its core.
///
/// Its functions decide; what must happen outside the lock comes back as `Effects`.
struct ObserverState: Sendable {
    typealias Event = ObserverEvent
    typealias Listener = ObserverListener
    typealias Delivery = ObserverDelivery

    /// A receiver that is told at once on the emitting thread; returns whether it wants more.
    struct Relay: Sendable, Leaving {
        let id: Int
        let tell: @Sendable (Event) -> Bool

        var mark: Int? { id }
    }

    /// An event on its way to the relays that are told of it.
    struct Relayed: Sendable {
        let relays: LeavingQueue<Relay>
        let event: Event
    }

    /// What stands upstream and is cancelled with this observer.
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

        /// Stops to follow the source, which goes on; the closure of an operator is this observer's own and ends.
        func detach() {
            if let core { core.forget(subscription) } else if subscription != 0 { handler?() }
        }
    }

    /// What the core does after it released the lock.
    struct Effects: Sendable {
        var drain: DrainStart?
        var startsRelay = false
        var canceled = LeavingQueue<Source>()
        /// Sources that go on without this observer.
        var detached = LeavingQueue<Source>()
        // Only carried out of the lock, so that no foreign deinit runs under it.
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
    /// What still runs after one of several sources has failed: a later `cancel()` reaches it.
    var lingering = LeavingQueue<Source>()
    /// Whether somebody holds the observer of this state.
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

    /// Takes the error that ends the whole, though sources other than the one that failed still run.
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

    /// Ends the observer for everybody who was not called yet.
    mutating func cancel() -> Effects {
        switch phase {
        case .canceled: return Effects()
        // Somebody knows the end of the call already: everybody is told the same.
        case .finished where calledRound == round || (isPassedOn && deliveries.isEmpty):
            var effects = Effects()
            swap(&lingering, &effects.canceled)
            return effects
        case .finished, .open: break
        }
        // A `defer` whose outcome was delivered is still owed.
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

    /// Ends this observer in cancellation; its sources go on without it.
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

    /// Nobody can be called again once the end was delivered.
    mutating func dropIfIdle(_ effects: inout Effects) {
        if phase != .open, !isDraining { swap(&listeners, &effects.droppedListeners) }
    }
}

/// Where the deliveries of an observer go on.
struct DrainStart: Sendable {
    let isolation: (any Actor)?
}
