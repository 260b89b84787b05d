extension ObserverState {
    mutating func subscribe(_ listener: Listener, _ effects: inout Effects) {
        if let event = replay, listener.wants(event) {
            let delivery = Delivery(listener: listener, event: event, generation: generation)
            if listener.kind.isLast, listener.kind != .bag {
                deliveries.append(delivery)
            } else {
                deliveries.insert(delivery) { [generation] in $0.isLast && $0.generation == generation }
            }
        }
        // Before every `defer`, because a `defer` may check the bag.
        if listener.kind == .bag {
            listeners.replaceAll(with: [listener] + listeners.elements)
        } else {
            listeners.append(listener)
        }
        scheduleDelivery(&effects)
    }

    mutating func unsubscribe(_ effects: inout Effects) {
        effects.droppedListeners = listeners
        effects.droppedDeliveries = deliveries
        listeners.replaceAll(with: listeners.elements.filter { !$0.kind.isUnsubscribable })
        deliveries.replaceAll(with: deliveries.elements.filter { !$0.listener.kind.isUnsubscribable })
    }

    /// The event that a late listener receives.
    var replay: Event? {
        switch phase {
        case .open: last.map { .outcome($0, isLast: false) }
        case .finished: last.map { .outcome($0, isLast: true) }
        case .cancelled: .cancelled
        }
    }

    /// Removes and returns the next delivery if it belongs to `isolation`.
    mutating func claim(on isolation: (any Actor)?) -> Delivery? {
        guard let first = deliveries.first, first.listener.isolation === isolation else { return nil }
        // A notified bag does not count as a receiver of the outcome.
        if first.listener.kind != .bag { calledGeneration = first.generation }
        return deliveries.popFirst()
    }

    /// Ends the drain of one isolation; starts that of the next delivery, if there is one.
    mutating func endDrain(_ effects: inout Effects) {
        isDraining = false
        scheduleDelivery(&effects)
        detachIfUnused(&effects)
    }

    mutating func add(relay: Relay, _ effects: inout Effects) {
        if let event = replay {
            isConsumed = true
            relayDeliveries.append(RelayDelivery(relays: RemovalQueue(relay), event: event))
        }
        if phase == .open { relays.append(relay) }
        scheduleDelivery(&effects)
    }

    mutating func nextRelayDelivery() -> RelayDelivery? {
        if let next = relayDeliveries.popFirst() { return next }
        isRelaying = false
        return nil
    }

    /// Adds a source to cancel later; an effect if it must be cancelled now.
    mutating func add(source: Source, emits: Bool, _ effects: inout Effects) {
        switch phase {
        case .open:
            sources.append(source)
            if emits { producers += 1 }
        case .finished: break
        case .cancelled: effects.cancelled.append(source)
        }
    }

    mutating func removeSource(_ subscription: Int, _ effects: inout Effects) {
        sources.remove(subscription, into: &effects.droppedSources)
        continuingSources.remove(subscription, into: &effects.droppedSources)
    }

    /// The outcome that `value` can return at once.
    mutating func takeCurrentOutcome() -> ObserverOutcome? {
        if last != nil { isConsumed = true }
        return last
    }
}

// MARK: - Release

extension ObserverState {
    /// Called when a derived observer is deinitialized.
    mutating func observerWasReleased(_ effects: inout Effects) {
        isObserverAlive = false
        swap(&continuingSources, &effects.detached)
        detachIfUnused(&effects)
    }

    /// Removes a listener or relay that is no longer needed.
    mutating func removeSubscription(_ subscription: Int, _ effects: inout Effects) {
        listeners.remove(subscription, into: &effects.droppedListeners)
        deliveries.remove(subscription, into: &effects.droppedDeliveries)
        relays.remove(subscription, into: &effects.droppedRelays)
        detachIfUnused(&effects)
    }

    /// Detaches an operator without an owner and without listeners from its source, but only after an outcome: its
    /// closure alone may have been its purpose.
    mutating func detachIfUnused(_ effects: inout Effects) {
        guard !isObserverAlive, phase == .open, generation > 0, listeners.isEmpty, relays.isEmpty, deliveries.isEmpty
        else { return }
        close(.cancelled, &effects)
        swap(&effects.detached, &effects.droppedSources)
    }
}
