import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// The rules of all quotas of a limiter: which ones hold for a route, and which callers wait for them.
///
/// Only the first caller of a route waits for a time; when it is sent or leaves, the next one becomes the first.
struct LearnedQuotas: Sendable {
    struct Route: Hashable, Sendable {
        let origin: Origin
        let partition: Partition
        /// Empty if all requests to the origin share its quotas.
        let name: String
    }

    /// A sent request.
    struct Ticket: Sendable {
        let route: Route
        let sent: Duration
        fileprivate let own: Counts
        fileprivate let all: Counts
    }

    enum Turn: Sendable {
        case sent(Ticket)
        /// The caller has to wait at least until then; with the waiter to resume if it is the first one.
        case at(Duration, Waiter<Void>?)
        /// The turn comes after the deadline.
        case never(wait: Duration)
    }

    fileprivate struct Counts: Sendable {
        var sent = 0
        var inFlight = 0

        mutating func send() { (sent, inFlight) = (sent + 1, inFlight + 1) }
        func uncounted(since ticket: Counts) -> LearnedQuota.Uncounted {
            .init(before: ticket.inFlight, after: sent - ticket.sent - 1)
        }
    }

    private struct QuotaKey: Hashable, Sendable {
        let route: Route
        let name: String
    }

    private struct Lane: Sendable {
        var quotas: [QuotaKey] = []
        var queue = WaitQueue<Waiter<Void>>()
        /// Resumes the first caller before its turn.
        var alarm: (waiter: Waiter<Void>, turn: Duration)?
        var pauseEnd: Duration?
        var counts = Counts()
    }

    private static let mostLanes = 1000

    private var lanes: [Route: Lane] = [:]
    private var quotas: [QuotaKey: LearnedQuota] = [:]
    /// The requests of all routes: a quota with a name may belong to several.
    private var counts = Counts()

    /// Sends a request, or lets its caller wait behind the others.
    mutating func enter(_ route: Route, _ caller: Waiter<Void>, at now: Duration, before deadline: Duration?) -> Turn {
        let ahead = lanes[route]?.queue.count ?? 0
        let turn = turn(of: route, ahead: ahead, at: now)
        if ahead == 0, turn <= now { return .sent(send(route, at: now)) }
        if turn > now, let deadline, turn >= deadline { return .never(wait: turn - now) }
        lanes[route, default: Lane()].queue.append(caller)
        return .at(turn, ahead == 0 ? caller : nil)
    }

    /// Sends the request of the first caller if it is its turn; otherwise `alarm` is resumed when the turn changes.
    mutating func next(
        _ route: Route,
        _ caller: Waiter<Void>,
        _ alarm: Waiter<Void>,
        at now: Duration,
        before deadline: Duration?
    ) -> Turn {
        let turn = turn(of: route, at: now)
        guard turn > now else { return .sent(send(route, at: now)) }
        if let deadline, turn >= deadline { return .never(wait: turn - now) }
        lanes[route]?.alarm = (alarm, turn)
        return .at(turn, nil)
    }

    /// Removes a caller; an unknown one changes nothing.
    ///
    /// - Returns: The new first caller, to resume.
    mutating func leave(_ route: Route, _ caller: Waiter<Void>) -> Waiter<Void>? {
        let wasFirst = lanes[route]?.queue.first == caller
        guard lanes[route]?.queue.remove(caller) == true, wasFirst else { return nil }
        lanes[route]?.alarm = nil
        return lanes[route]?.queue.first
    }

    /// Learns from the end of a request.
    ///
    /// - Returns: The waiter of the first caller, to resume, if its turn comes earlier now.
    mutating func learn(
        _ reports: [QuotaReport],
        pause: Duration?,
        _ ticket: Ticket,
        at now: Duration
    ) -> Waiter<Void>? {
        let route = ticket.route
        counts.inFlight -= 1
        var lane = lanes[route, default: Lane()]
        lane.counts.inFlight = max(0, lane.counts.inFlight - 1)
        if let pause { lane.pauseEnd = max(lane.pauseEnd ?? now, now + pause) }
        if !reports.isEmpty { lane.quotas = reports.map { key(of: $0, route) } }
        lanes[route] = lane
        for report in reports {
            let uncounted =
                report.isShared
                ? counts.uncounted(since: ticket.all) : lane.counts.uncounted(since: ticket.own)
            let key = key(of: report, route)
            if quotas[key] == nil {
                quotas[key] = LearnedQuota(report, sent: ticket.sent, uncounted, at: now)
            } else {
                quotas[key]?.learn(report, sent: ticket.sent, uncounted, at: now)
            }
        }
        guard let alarm = lane.alarm, turn(of: route, at: now) < alarm.turn else { return nil }
        return alarm.waiter
    }

    private func key(of report: QuotaReport, _ route: Route) -> QuotaKey {
        let name = report.isShared ? "" : route.name
        return QuotaKey(route: Route(origin: route.origin, partition: route.partition, name: name), name: report.name)
    }

    private mutating func turn(of route: Route, ahead: Int = 0, at now: Duration) -> Duration {
        guard let lane = lanes[route] else { return now }
        var turn = max(now, lane.pauseEnd ?? now)
        for key in lane.quotas { turn = max(turn, quotas[key]?.turn(at: now, ahead: ahead) ?? now) }
        return turn
    }

    private mutating func send(_ route: Route, at now: Duration) -> Ticket {
        if lanes.count >= Self.mostLanes, lanes[route] == nil { removeIdle(at: now) }
        let own = lanes[route]?.counts ?? Counts()
        let ticket = Ticket(route: route, sent: now, own: own, all: counts)
        lanes[route, default: Lane()].counts.send()
        counts.send()
        for key in lanes[route]?.quotas ?? [] { quotas[key]?.spend(at: now) }
        return ticket
    }

    /// Forgets routes without calls, first of all those whose quotas are restored.
    private mutating func removeIdle(at now: Duration) {
        let busy = lanes.filter { $0.value.counts.inFlight > 0 || !$0.value.queue.isEmpty }
        let used = lanes.filter { lane in lane.value.quotas.contains { quotas[$0].map { $0.end > now } ?? false } }
        lanes = used.count < Self.mostLanes ? used.merging(busy) { $1 } : busy
        let kept = Set(lanes.values.flatMap(\.quotas))
        quotas = quotas.filter { kept.contains($0.key) }
    }
}
