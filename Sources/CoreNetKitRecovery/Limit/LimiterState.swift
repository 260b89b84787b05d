import CoreNetKitChain
/// The rules of places for calls: at most so many for each host, and so many in all; who came first goes first.
///
/// A call first takes a place of its host, then one of all; in both queues it keeps its turn.
struct LimiterState<Caller: Equatable & Sendable>: Sendable {
    private struct Host: Sendable {
        var taken = 0
        var queue = ShortQueue<Caller>()

        mutating func enter(_ limit: Int, _ caller: () -> Caller) -> Bool {
            guard taken < limit else {
                queue.append(caller())
                return false
            }
            taken += 1
            return true
        }

        /// Frees a place; who waits for it has it.
        mutating func leave(_ limit: Int) -> Caller? {
            taken -= 1
            guard taken < limit, let next = queue.popFirst() else { return nil }
            taken += 1
            return next
        }
    }

    private struct Waiting: Sendable {
        let caller: Caller
        let host: HostKey
    }

    private static var idleHosts: Int { 32 }

    let total: Int
    let perHost: Int?
    private(set) var taken = 0
    private var hosts: [HostKey: Host] = [:]
    private var queue = ShortQueue<Waiting>()

    var waiting: Int { hosts.values.reduce(queue.elements.count) { $0 + $1.queue.elements.count } }

    init(total: Int, perHost: Int?) {
        self.total = total
        self.perHost = perHost
    }

    /// A call wants a place; a caller is only made for one that must wait.
    ///
    /// - Returns: Whether it has one; otherwise it waits for its turn.
    mutating func enter(_ host: HostKey, _ caller: () -> Caller) -> Bool {
        if let perHost {
            guard hosts[host, default: Host()].enter(perHost, caller) else { return false }
        }
        guard taken < total else {
            queue.append(Waiting(caller: caller(), host: host))
            return false
        }
        taken += 1
        return true
    }

    /// A call gives its place back.
    ///
    /// - Returns: Who has a place now.
    mutating func release(_ host: HostKey) -> [Caller] {
        taken -= 1
        freePlace(of: host)
        return admit()
    }

    /// A call that waits leaves; one that has a place, or is unknown, changes nothing.
    ///
    /// - Returns: Who has a place now.
    mutating func leave(_ caller: Caller, _ host: HostKey) -> [Caller] {
        if let inHost = hosts[host]?.queue.elements, inHost.contains(caller) {
            hosts[host]?.queue.replaceAll(with: inHost.filter { $0 != caller })
            return []
        }
        let waiting = queue.elements
        guard waiting.contains(where: { $0.caller == caller }) else { return [] }
        queue.replaceAll(with: waiting.filter { $0.caller != caller })
        freePlace(of: host)
        return admit()
    }

    private mutating func freePlace(of host: HostKey) {
        guard let perHost else { return }
        if let next = hosts[host, default: Host()].leave(perHost) { queue.append(Waiting(caller: next, host: host)) }
        // Hosts come and go: of many, those that have nothing to remember are forgotten.
        if hosts.count > Self.idleHosts, hosts[host]?.taken == 0 { hosts[host] = nil }
    }

    private mutating func admit() -> [Caller] {
        var admitted: [Caller] = []
        while taken < total, let next = queue.popFirst() {
            taken += 1
            admitted.append(next.caller)
        }
        return admitted
    }
}
