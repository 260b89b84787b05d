extension ObserverState {
    mutating func subscribe(_ listener: Listener) -> Effects {
        var effects = Effects()
        if let event = replay, listener.wants(event) {
            let delivery = Delivery(listener: listener, event: event, round: round)
            if listener.kind.isLast, listener.kind != .bag {
                deliveries.append(delivery)
            } else {
                deliveries.insert(delivery) { [round] in $0.isLast && $0.round == round }
            }
        }
        // Before every `defer`, because a `defer` may check the bag.
        if listener.kind == .bag {
            listeners.replaceAll(with: [listener] + listeners.elements)
        } else {
            listeners.append(listener)
        }
        scheduleDelivery(&effects)
        return effects
    }

    mutating func unsubscribe() -> Effects {
        var effects = Effects()
        effects.droppedListeners = listeners
        effects.droppedDeliveries = deliveries
        listeners.replaceAll(with: listeners.elements.filter { !$0.kind.isUnsubscribable })
        deliveries.replaceAll(with: deliveries.elements.filter { !$0.listener.kind.isUnsubscribable })
        return effects
    }

    /// The event that a late listener receives.
    var replay: Event? {
        switch phase {
        case .open: last.map { .outcome($0, isLast: false) }
        case .finished: last.map { .outcome($0, isLast: true) }
        case .canceled: .canceled
        }
    }

    /// Takes the next delivery if it belongs to `isolation`.
    mutating func claim(on isolation: (any Actor)?) -> Delivery? {
        guard let first = deliveries.first, first.listener.isolation === isolation else { return nil }
        // A notified bag does not count as a receiver of the outcome.
        if first.listener.kind != .bag { calledRound = first.round }
        return deliveries.popFirst()
    }

    /// Ends the drain of one isolation; starts that of the next delivery, if there is one.
    mutating func endDrain() -> Effects {
        var effects = Effects()
        isDraining = false
        scheduleDelivery(&effects)
        detachIfUnused(&effects)
        return effects
    }
}
