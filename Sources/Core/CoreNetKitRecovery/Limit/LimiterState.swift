import CoreNetKitSystem

/// The rules of places for calls: limits per host and in total, first come, first served.
///
/// A call first takes a place of its host, then one of the total; it keeps its turn in both queues. A plain value, so
/// that a test can try every order of steps.
package struct LimiterState<Caller: Hashable & Sendable, Host: Hashable & Sendable>: Sendable {
    /// A call and the host whose place it has.
    package struct Turn: Hashable, Sendable {
        package let caller: Caller
        package let host: Host
    }

    private struct Places: Sendable {
        var taken = 0
        var queue = WaitQueue<Caller>()

        mutating func enter(_ limit: Int, _ make: () -> Caller) -> Caller? {
            guard taken < limit else {
                let caller = make()
                queue.append(caller)
                return caller
            }
            taken += 1
            return nil
        }

        /// Frees a place and gives it to the next waiter.
        mutating func leave(_ limit: Int) -> Caller? {
            taken -= 1
            guard taken < limit, let next = queue.popFirst() else { return nil }
            taken += 1
            return next
        }
    }

    package private(set) var total: Int
    package let perHost: Int?
    package private(set) var taken = 0
    /// The number of waiters in all queues.
    package private(set) var waiting = 0
    private var hosts: [Host: Places] = [:]
    private var bound = TableBound()
    /// The calls that have a place of their host and wait for one of the total.
    private var queue = WaitQueue<Turn>()

    package init(total: Int, perHost: Int?) { (self.total, self.perHost) = (total, perHost) }

    /// Requests a place; returns the caller, which was made, if it must wait for its turn.
    package mutating func enter(_ host: Host, _ make: () -> Caller) -> Caller? {
        if let perHost, let caller = hosts[host, default: Places()].enter(perHost, make) {
            waiting += 1
            return caller
        }
        guard taken < total else {
            waiting += 1
            let caller = make()
            queue.append(Turn(caller: caller, host: host))
            return caller
        }
        taken += 1
        return nil
    }

    /// Returns the place of a call, and the calls that have a place now; one of them that was cancelled is released, too.
    package mutating func release(_ host: Host) -> [Turn] {
        taken -= 1
        freePlace(of: host)
        return admit()
    }

    /// Removes a waiting call, and returns those that have a place now; a call with a place, or an unknown one, changes nothing.
    package mutating func leave(_ caller: Caller, _ host: Host) -> [Turn] {
        if hosts[host]?.queue.remove(caller) == true {
            waiting -= 1
            return []
        }
        guard queue.remove(Turn(caller: caller, host: host)) else { return [] }
        waiting -= 1
        freePlace(of: host)
        return admit()
    }

    /// Changes the limit of all calls, and returns those that have a place now; those beyond a lower one keep their places.
    package mutating func set(total: Int) -> [Turn] {
        self.total = total
        return admit()
    }

    private mutating func freePlace(of host: Host) {
        guard let perHost else { return }
        if let next = hosts[host, default: Places()].leave(perHost) { queue.append(Turn(caller: next, host: host)) }
        bound.makeRoom(in: &hosts) { $0.taken > 0 }
    }

    private mutating func admit() -> [Turn] {
        guard !queue.isEmpty else { return [] }
        var admitted: [Turn] = []
        while taken < total, let next = queue.popFirst() {
            taken += 1
            waiting -= 1
            admitted.append(next)
        }
        return admitted
    }

    /// For every known host, the calls with one of its places, those of them that wait for one of the total, and those that wait
    /// for one of its places.
    package var balance: [Host: (taken: Int, admitted: Int, waiting: Int)] {
        var balance = hosts.mapValues { (taken: $0.taken, admitted: 0, waiting: $0.queue.count) }
        for turn in queue.elements { balance[turn.host, default: (0, 0, 0)].admitted += 1 }
        return balance
    }

    /// The invariants that are violated between two steps, for tests: used and free places add up to all places, and no
    /// call waits for a free place.
    package var problems: [String] {
        var problems: [String] = []
        if !(0...max(0, total)).contains(taken) { problems.append("\(taken) places of \(total) are taken") }
        if !queue.isEmpty, taken < total { problems.append("somebody waits for one of \(total - taken) free places") }
        guard let perHost else { return problems }
        for (host, places) in balance {
            if !(0...perHost).contains(places.taken) { problems.append("\(places.taken) places of \(host) are taken") }
            if places.waiting > 0, places.taken < perHost { problems.append("a free place of \(host) is waited for") }
        }
        let queued = balance.values.reduce(0) { $0 + $1.admitted + $1.waiting }
        if queued != waiting { problems.append("\(queued) wait, \(waiting) are counted") }
        let given = balance.values.reduce(0) { $0 + $1.taken - $1.admitted }
        if given != taken { problems.append("the hosts gave \(given) places, of all \(taken) are taken") }
        return problems
    }
}
