/// Lets a number of exchanges per host run, and the others wait in order.
///
/// `@unchecked Sendable`: used on the engine's queue only.
final class HostLimiter: @unchecked Sendable {
    private struct Host {
        var running = 0
        var waiting: [SessionExchange] = []
    }

    private let perHost: Int
    private var hosts: [String: Host] = [:]

    init(perHost: Int) { self.perHost = perHost }

    /// Runs the exchange now, or when its turn comes.
    func admit(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        guard hosts[key, default: Host()].running < perHost else {
            hosts[key, default: Host()].waiting.append(exchange)
            return
        }
        hosts[key, default: Host()].running += 1
        exchange.run()
    }

    /// Takes out an exchange that waits.
    func withdraw(_ exchange: SessionExchange) {
        hosts[exchange.plan.host]?.waiting.removeAll { $0 === exchange }
    }

    /// Gives the place of an exchange that ran to the next one.
    func release(_ exchange: SessionExchange) {
        let key = exchange.plan.host
        guard var host = hosts[key] else { return }
        guard host.waiting.isEmpty else {
            let next = host.waiting.removeFirst()
            hosts[key] = host
            return next.run()
        }
        host.running -= 1
        hosts[key] = host.running > 0 ? host : nil
    }
}
