/// The rules of places for calls: at most so many for each host, and so many in all; who came first goes first.
///
/// A call first takes a place of its host, then one of all; in both queues it keeps its turn.
struct LimiterState<Caller: Equatable & Sendable>: Sendable {
    private struct Host: Sendable {
        var taken = 0
        var queue = ShortQueue<Caller>()
    }

    private struct Waiting: Sendable {
        let caller: Caller
        let host: String
    }

    let total: Int
    let perHost: Int?
    private(set) var taken = 0
    private var hosts: [String: Host] = [:]
    private var queue = ShortQueue<Waiting>()

    var waiting: Int { hosts.values.reduce(queue.elements.count) { $0 + $1.queue.elements.count } }

    init(total: Int, perHost: Int?) {
        self.total = total
        self.perHost = perHost
    }

    /// A call wants a place; a caller is only made for one that must wait.
    ///
    /// - Returns: Whether it has one; otherwise it waits for its turn.
    mutating func enter(_ host: String, _ caller: () -> Caller) -> Bool {
        if let perHost {
            guard hosts[host, default: Host()].taken < perHost else {
                hosts[host]?.queue.append(caller())
                return false
            }
            hosts[host, default: Host()].taken += 1
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
    mutating func release(_ host: String) -> [Caller] {
        taken -= 1
        freePlace(of: host)
        return admit()
    }

    /// A call that waits leaves; one that has a place, or is unknown, changes nothing.
    ///
    /// - Returns: Who has a place now.
    mutating func leave(_ caller: Caller, _ host: String) -> [Caller] {
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

    private mutating func freePlace(of name: String) {
        guard let perHost, var host = hosts[name] else { return }
        host.taken -= 1
        if host.taken < perHost, let next = host.queue.popFirst() {
            host.taken += 1
            queue.append(Waiting(caller: next, host: name))
        }
        // Hosts come and go: who has nothing to remember is forgotten.
        hosts[name] = host.taken == 0 ? nil : host
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
