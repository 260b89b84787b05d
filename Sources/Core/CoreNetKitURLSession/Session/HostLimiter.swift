import CoreNetKitSystem

/// Lets a number of exchanges per host run, and the others wait in order.
///
/// `@unchecked Sendable`: used on the engine's queue only.
final class HostLimiter: @unchecked Sendable {
    private struct Host {
        var running = 0
        var waiting = WaitingLine<Place>()
    }

    /// Each exchange is a place of its own.
    private struct Place: Hashable {
        let exchange: SessionExchange

        static func == (left: Place, right: Place) -> Bool { left.exchange === right.exchange }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(exchange)) }
    }

    let perHost: Int
    private var hosts: [String: Host] = [:]

    init(perHost: Int) { self.perHost = perHost }

    /// Runs the exchange now, or when its turn comes.
    func admit(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        guard hosts[key, default: Host()].running < perHost else {
            hosts[key, default: Host()].waiting.append(Place(exchange: exchange))
            return
        }
        hosts[key, default: Host()].running += 1
        exchange.run()
    }

    /// Takes out an exchange that waits.
    func withdraw(_ exchange: SessionExchange) {
        hosts[exchange.plan.host]?.waiting.remove(Place(exchange: exchange))
    }

    /// Gives the place of an exchange that ran to the next one.
    func release(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        // In place: a copy of the line would cost as much as it is long.
        if let next = hosts[key]?.waiting.popFirst() { return next.exchange.run() }
        hosts[key]?.running -= 1
        if hosts[key]?.running == 0 { hosts[key] = nil }
    }
}
