/// The state of an observer: a plain value, changed under the lock of its core.
///
/// Its functions decide; what must happen outside the lock comes back as `Effects`.
struct ObserverState: Sendable {
    typealias Event = ObserverEvent
    typealias Listener = ObserverListener
    typealias Delivery = ObserverDelivery

    /// A receiver that is told at once on the emitting thread; returns whether it wants more.
    struct Relay: Sendable {
        let id: Int
        let tell: @Sendable (Event) -> Bool
    }

    /// An event on its way to the relays that are told of it.
    struct Relayed: Sendable {
        let relays: [Relay]
        let event: Event
    }

    /// What stands upstream and is cancelled with this observer.
    struct Source: Sendable {
        var core: ObserverCore?
        /// The listener or relay through which this observer follows the source.
        var subscription = 0
        var handler: (@Sendable () -> Void)?

        static func core(_ core: ObserverCore, _ subscription: Int) -> Source {
            Source(core: core, subscription: subscription)
        }
        static func handler(_ handler: @escaping @Sendable () -> Void) -> Source { Source(handler: handler) }

        func cancel() {
            core?.cancel()
            handler?()
        }

        func isCore(_ id: ObjectIdentifier) -> Bool { core.map { ObjectIdentifier($0) == id } ?? false }

        /// Stops to follow the source, which goes on.
        func detach() { core?.forget(subscription) }
    }

    /// What the core does after it released the lock.
    struct Effects: Sendable {
        var drain: DrainStart?
        var startsRelay = false
        var canceled = ShortQueue<Source>()
        /// Sources that go on without this observer.
        var detached = ShortQueue<Source>()
        // Only carried out of the lock, so that no foreign deinit runs under it.
        var droppedListeners = ShortQueue<Listener>()
        var droppedDeliveries = ShortQueue<Delivery>()
        var droppedOutcome: Outcome?
        var droppedSources = ShortQueue<Source>()
        var droppedRelays: [Relay] = []
    }

    private enum Phase { case open, finished, canceled }

    private var phase = Phase.open
    private(set) var last: Outcome?
    /// Counts the outcomes, so that `defer` listeners can be told apart by outcome.
    private var round = 0
    /// The outcome of the last listener that was called.
    private var calledRound = 0
    /// Whether a relay or `value` has the last outcome.
    private var isPassedOn = false
    /// How many sources may still emit.
    private var producers = 1
    private var listeners = ShortQueue<Listener>()
    private var deliveries = ShortQueue<Delivery>()
    private var isDraining = false
    private var relays: [Relay] = []
    private var relayed = ShortQueue<Relayed>()
    private var isRelaying = false
    private var sources = ShortQueue<Source>()
    /// What still runs after one of several sources has failed: a later `cancel()` reaches it.
    private var lingering = ShortQueue<Source>()
    /// Whether somebody holds the observer of this state.
    private var isHeld = true
}

// MARK: - Ends and outcomes

extension ObserverState {
    /// Takes an outcome; `ending` sources will not emit again.
    mutating func emit(_ outcome: Outcome, ending: Int) -> Effects {
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
    mutating func fail(_ outcome: Outcome, from source: ObjectIdentifier) -> Effects {
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
        let owed = deliveries.elements.prefix { $0.isEnded && $0.round == calledRound }
        var effects = Effects()
        effects.droppedDeliveries = deliveries
        deliveries.replaceAll(with: owed)
        close(.canceled, &effects)
        swap(&effects.canceled, &effects.droppedSources)
        lingering.forEach { effects.canceled.append($0) }
        lingering = ShortQueue()
        swap(&last, &effects.droppedOutcome)
        round += 1
        announce(.canceled, &effects)
        settle(&effects)
        return effects
    }

    mutating func cancelIfOpen() -> Effects {
        phase == .open ? cancel() : Effects()
    }

    /// Ends this observer in cancellation; its sources go on without it.
    mutating func detach() -> Effects {
        var effects = cancelIfOpen()
        swap(&effects.canceled, &effects.detached)
        return effects
    }

    private mutating func close(_ phase: Phase, _ effects: inout Effects) {
        self.phase = phase
        swap(&sources, &effects.droppedSources)
    }

    /// Queues an event for every listener that wants it: `defer` listeners last.
    private mutating func announce(_ event: Event, _ effects: inout Effects) {
        queue(event) { $0.kind != .ended }
        queue(event) { $0.kind == .ended }
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

    private mutating func settle(_ effects: inout Effects) {
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
    private mutating func dropIfIdle(_ effects: inout Effects) {
        if phase != .open, !isDraining { swap(&listeners, &effects.droppedListeners) }
    }
}

// MARK: - Release

extension ObserverState {
    /// Nobody holds the observer any more.
    mutating func letGo() -> Effects {
        isHeld = false
        var effects = Effects()
        swap(&lingering, &effects.detached)
        leaveIfUseless(&effects)
        return effects
    }

    /// A listener or relay is not wanted any more.
    mutating func forget(_ subscription: Int) -> Effects {
        var effects = Effects()
        effects.droppedListeners = listeners
        effects.droppedDeliveries = deliveries
        listeners.replaceAll(with: listeners.elements.filter { $0.id != subscription })
        deliveries.replaceAll(with: deliveries.elements.filter { $0.listener.id != subscription })
        effects.droppedRelays = relays
        relays.removeAll { $0.id == subscription }
        leaveIfUseless(&effects)
        return effects
    }

    /// An operator that nobody holds and nobody listens to leaves its source, once it has seen an outcome: its closure
    /// may be all that somebody wanted of it.
    private mutating func leaveIfUseless(_ effects: inout Effects) {
        guard !isHeld, phase == .open, round > 0, listeners.isEmpty, relays.isEmpty, deliveries.isEmpty else { return }
        close(.canceled, &effects)
        swap(&effects.detached, &effects.droppedSources)
    }
}

// MARK: - Listeners

extension ObserverState {
    mutating func subscribe(_ listener: Listener) -> Effects {
        var effects = Effects()
        if let event = replay, listener.wants(event) {
            let delivery = Delivery(listener: listener, event: event, round: round)
            if listener.kind == .ended {
                deliveries.append(delivery)
            } else {
                deliveries.insert(delivery) { [round] in $0.isEnded && $0.round == round }
            }
        }
        listeners.append(listener)
        settle(&effects)
        return effects
    }

    mutating func unsubscribe() -> Effects {
        var effects = Effects()
        effects.droppedListeners = listeners
        effects.droppedDeliveries = deliveries
        listeners.replaceAll(with: listeners.elements.filter { $0.kind == .step })
        deliveries.replaceAll(with: deliveries.elements.filter { $0.listener.kind == .step })
        return effects
    }

    /// What a late listener is told.
    private var replay: Event? {
        switch phase {
        case .open: last.map { .outcome($0, isLast: false) }
        case .finished: last.map { .outcome($0, isLast: true) }
        case .canceled: .canceled
        }
    }

    /// Takes the next delivery if it belongs to `isolation`.
    mutating func claim(on isolation: (any Actor)?) -> Delivery? {
        guard let first = deliveries.first, first.listener.isolation === isolation else { return nil }
        calledRound = first.round
        return deliveries.popFirst()
    }

    /// Ends the drain of one isolation: hands over to the next delivery's, if there is one.
    mutating func endDrain() -> Effects {
        var effects = Effects()
        isDraining = false
        settle(&effects)
        leaveIfUseless(&effects)
        return effects
    }
}

// MARK: - Relays and sources

extension ObserverState {
    mutating func add(relay: Relay) -> Effects {
        var effects = Effects()
        if let event = replay {
            isPassedOn = true
            relayed.append(Relayed(relays: [relay], event: event))
        }
        if phase == .open { relays.append(relay) }
        settle(&effects)
        return effects
    }

    mutating func nextRelayed() -> Relayed? {
        if let next = relayed.popFirst() { return next }
        isRelaying = false
        return nil
    }

    mutating func remove(relay id: Int) -> Relay? {
        guard let index = relays.firstIndex(where: { $0.id == id }) else { return nil }
        return relays.remove(at: index)
    }

    /// Adds what to cancel; returns it when that must happen now.
    mutating func add(source: Source, emits: Bool) -> Effects {
        var effects = Effects()
        switch phase {
        case .open:
            sources.append(source)
            if emits { producers += 1 }
        case .finished: break
        case .canceled: effects.canceled.append(source)
        }
        return effects
    }

    /// A source has ended by itself.
    mutating func remove(source: ObjectIdentifier) -> Effects {
        var effects = Effects()
        effects.droppedSources = sources
        sources.replaceAll(with: sources.elements.filter { !$0.isCore(source) })
        if !lingering.isEmpty {
            lingering.forEach { effects.droppedSources.append($0) }
            lingering.replaceAll(with: lingering.elements.filter { !$0.isCore(source) })
        }
        return effects
    }

    /// The outcome that `value` can return at once.
    mutating func reach() -> Outcome? {
        if last != nil { isPassedOn = true }
        return last
    }
}

/// Where the deliveries of an observer go on.
struct DrainStart: Sendable {
    let isolation: (any Actor)?
}
