import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// The quotas of a limiter, which of them hold for a route, and its callers.
struct LearnedQuotas: Sendable {
    typealias Caller = Waiter<Void>

    /// What has a queue; without a name for all requests to the origin.
    struct Route: Hashable, Sendable {
        let origin: Origin
        let partition: Partition
        var name: String
    }

    /// A sent request, and how many had ended before in each quota.
    struct Ticket: Sendable {
        let route: Route
        let sent: Duration
        var ended: [QuotaKey: Int] = [:]
    }

    struct QuotaKey: Hashable, Sendable {
        var route: Route
        let name: String

        init(_ report: QuotaReport, _ route: Route) {
            (self.route, name) = (route, report.name)
            if report.isShared { self.route.name = "" }
        }
    }

    /// What a caller waits for, until `end` at most, and its expected turn.
    typealias Wait = (waiter: Caller, end: Duration?, turn: Duration)

    private struct Lane: Sendable {
        var quotas: [QuotaKey] = []
        var queue = WaitQueue<Caller>()
        /// Resumes the first caller before its turn.
        var alarm: (waiter: Caller, turn: Duration)?
        var pauseEnd = Duration.zero
        /// The number of requests in flight that no quota counts, because none was known.
        var uncounted = 0
    }

    private var lanes: [Route: Lane] = [:]
    private var quotas: [QuotaKey: LearnedQuota] = [:]
    private var (laneBound, quotaBound) = (TableBound(), TableBound())

    /// Sends a request if it is its caller's turn, otherwise lets the caller wait; with the waiter of the next caller, to resume.
    mutating func step(_ route: Route, _ caller: Caller, at now: Duration, before end: Duration?) throws
        -> (Ticket?, Wait, next: Caller?)
    {
        let isFirst = (lanes[route]?.queue.first ?? caller) == caller
        let turn = turn(of: route, ahead: isFirst ? 0 : lanes[route]?.queue.count ?? 0, at: now)
        if isFirst, turn <= now { return (send(route, at: now), (caller, nil, now), leave(route, caller)) }
        if let end, turn >= end {
            throw NetworkError.limited(by: "the server's quota", for: turn - now, node: "LearnedRateNode")
        }
        lanes[route, default: Lane()].queue.append(caller)
        guard isFirst else { return (nil, (caller, end, turn), nil) }
        let alarm = Caller()
        lanes[route]?.alarm = (alarm, turn)
        return (nil, (alarm, turn, turn), nil)
    }

    /// The quotas of a route of which half is left or less, for processes that share them.
    func paces(of route: Route, at now: Duration) -> [QuotaPace] {
        guard route.partition.isStable else { return [] }
        return (lanes[route]?.quotas ?? []).compactMap { key in
            quotas[key]?.pace(at: now).map {
                let name = [key.route.origin.description, key.route.partition.name, key.route.name, key.name]
                return (name, $0.spacing, $0.end)
            }
        }
    }

    /// Removes a caller, if there is such a one; returns the waiter of the new first caller, to resume.
    mutating func leave(_ route: Route, _ caller: Caller) -> Caller? {
        let wasFirst = lanes[route]?.queue.first == caller
        guard lanes[route]?.queue.remove(caller) == true, wasFirst else { return nil }
        lanes[route]?.alarm = nil
        return lanes[route]?.queue.first
    }

    /// Learns from the end of a request; returns the waiter to resume if the turn of the first caller comes earlier now.
    mutating func learn(_ reports: [QuotaReport], pause: Duration?, _ ticket: Ticket, at now: Duration) -> Caller? {
        let route = ticket.route
        var lane = lanes[route] ?? Lane()
        if ticket.ended.isEmpty { lane.uncounted = max(0, lane.uncounted - 1) }
        if let pause { lane.pauseEnd = max(lane.pauseEnd, now + pause) }
        if !reports.isEmpty { lane.quotas = reports.map { QuotaKey($0, route) } }
        lanes[route] = lane
        for key in ticket.ended.keys { quotas[key]?.ended += 1 }
        quotaBound.makeRoom(in: &quotas, keeping: \.isInUse) { $0.latest > now }
        for (key, report) in zip(lane.quotas, reports) {
            quotas[key, default: .init()].learn(report, sent: ticket.sent, after: ticket.ended[key], at: now)
        }
        guard let alarm = lane.alarm, turn(of: route, at: now) < alarm.turn else { return nil }
        return alarm.waiter
    }

    private mutating func turn(of route: Route, ahead: Int = 0, at now: Duration) -> Duration {
        guard let lane = lanes[route] else { return now }
        return lane.quotas.reduce(max(now, lane.pauseEnd)) { turn, key in
            max(turn, quotas[key]?.turn(at: now, ahead: ahead + lane.uncounted) ?? now)
        }
    }

    private mutating func send(_ route: Route, at now: Duration) -> Ticket {
        var ticket = Ticket(route: route, sent: now)
        for key in lanes[route]?.quotas ?? [] { ticket.ended[key] = quotas[key]?.send(at: now) }
        if ticket.ended.isEmpty {
            let quotas = quotas
            laneBound.makeRoom(in: &lanes, keeping: { $0.uncounted > 0 || !$0.queue.isEmpty }) { lane in
                lane.pauseEnd > now || lane.quotas.contains { quotas[$0].map { $0.latest > now } ?? false }
            }
            lanes[route, default: Lane()].uncounted += 1
        }
        return ticket
    }
}

/// How processes share what is left of a quota, named alike in all: the time between requests, and the earliest restoration.
package typealias QuotaPace = (name: [String], spacing: Duration, end: Duration)
