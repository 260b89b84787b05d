import CoreNetKitSystem

/// Limits concurrent exchanges per host; the others wait in order.
///
/// `@unchecked Sendable`: used only on the engine's queue.
final class HostLimiter: @unchecked Sendable {
    private struct Host {
        var running = 0
        var waiting = WaitQueue<Place>()
    }

    /// Identifies an exchange by reference.
    private struct Place: Hashable {
        let exchange: SessionExchange

        static func == (left: Place, right: Place) -> Bool { left.exchange === right.exchange }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(exchange)) }
    }

    let perHost: Int
    private var hosts: [String: Host] = [:]

    init(perHost: Int) { self.perHost = perHost }

    /// Runs the exchange now or in its turn.
    func admit(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        guard hosts[key, default: Host()].running < perHost else {
            hosts[key, default: Host()].waiting.append(Place(exchange: exchange))
            return
        }
        hosts[key, default: Host()].running += 1
        exchange.run()
    }

    /// Removes a waiting exchange.
    func withdraw(_ exchange: SessionExchange) {
        hosts[exchange.plan.host]?.waiting.remove(Place(exchange: exchange))
    }

    /// Releases the slot of an exchange, and runs the next one.
    func release(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        // In place: a copy would cost as much as the queue is long.
        if let next = hosts[key]?.waiting.popFirst() { return next.exchange.run() }
        hosts[key]?.running -= 1
        if hosts[key]?.running == 0 { hosts[key] = nil }
    }
}
