import TestSupport

/// What is seen from outside while a world runs, and which of it must not happen.
struct WorldRecord: Sendable {
    /// What the space between two nodes sees of the calls that are inside.
    struct Load: Sendable {
        var now = 0
        var most = 0

        mutating func enter() {
            now += 1
            most = max(most, now)
        }
    }

    let settings: WorldSettings
    var problems: [String] = []
    var endings = 0
    var refreshes = Load()
    var probes = Load()
    var places = Load()
    var hostPlaces = RandomWorld.urls.map { _ in Load() }
    /// Callers cancelled in the middle of another one's step.
    var cancelled: Set<Int> = []
    var requests = Load()
    /// When the breaker has promised to try again.
    var refusedUntil = Duration.zero
    /// How many requests each call has sent.
    var sent: [Int]
    /// How many repetitions were sent in each second.
    var repetitions: [Int: Int] = [:]
    var lastSent: Duration?
    /// Races for the first response: how many requests each has sent, and when it was over.
    var races: [(sent: Int, end: Duration?)] = []

    init(_ settings: WorldSettings) {
        self.settings = settings
        sent = Array(repeating: 0, count: settings.callers)
    }

    mutating func repeats(at now: Duration) {
        let second = Int(now.components.seconds)
        repetitions[second, default: 0] += 1
        if settings.hasTightBudget, repetitions[second, default: 0] > 1 {
            problems.append("\(repetitions[second, default: 0]) repetitions in second \(second), the budget has 1")
        }
    }

    mutating func sends(_ request: TransportRequest, of race: Int, at now: Duration) {
        races[race].sent += 1
        guard races[race].sent > 1 else { return }
        repeats(at: now)
        if races[race].sent > 2 { problems.append("\(races[race].sent) requests in one race") }
        if !request.method.isSafe { problems.append("\(request.method) was hedged") }
        if races[race].end != nil { problems.append("a hedge was sent after the response") }
    }

    mutating func sends(at now: Duration) {
        if let last = lastSent, now - last < WorldSettings.interval {
            problems.append("two requests within \(now - last), the rate is one in \(WorldSettings.interval)")
        }
        lastSent = now
    }

    mutating func ends(
        _ result: Result<TransportResponse, any Error>,
        at now: Duration,
        isCancelled: Bool,
        hasDeadline: Bool
    ) {
        endings += 1
        switch result {
        case .success(let response):
            if response.status != 200 { problems.append("status \(response.status)") }
        case .failure(let error as NetworkError):
            if error.code == .invalidChain { problems.append("\(error)") }
            if error.history.count > WorldSettings.retries { problems.append("history of \(error.history.count)") }
            if error.code == .circuitOpen, let wait = error.retryAfter { refusedUntil = now + wait }
            if error.code == .deadlineExceeded, !hasDeadline { problems.append("a deadline out of nowhere") }
        case .failure(is CancellationError):
            if !isCancelled { problems.append("cancelled by nobody") }
        case .failure(let error): problems.append("foreign error \(error)")
        }
    }

    /// What did not hold, once all is over.
    var verdict: [String] {
        var problems = problems
        if endings != settings.callers { problems.append("\(endings) endings of \(settings.callers) calls") }
        if refreshes.most > 1 { problems.append("\(refreshes.most) refreshes at once") }
        if probes.most > 1 { problems.append("\(probes.most) probes at once through the breaker") }
        if settings.hasLimit, places.most > 2 { problems.append("\(places.most) calls at once") }
        if settings.hasLimit, let most = hostPlaces.map(\.most).max(), most > 1 {
            problems.append("\(most) calls at once to one host")
        }
        // Each attempt may be sent a second time with a new token, and each of these may be hedged.
        let limit = (WorldSettings.retries + 1) * 2 * (settings.hasHedge ? 2 : 1)
        if let most = sent.max(), most > limit { problems.append("\(most) requests of one call") }
        if refreshes.now + probes.now + places.now + requests.now > 0 { problems.append("somebody is still inside") }
        return problems
    }
}

/// Which policies a world has.
struct WorldSettings: Sendable {
    static let retries = 2
    static let interval = Duration.milliseconds(200)

    let callers: Int
    let isCoalescing: Bool
    let hasBreaker: Bool
    let hasLimit: Bool
    let hasHedge: Bool
    let hasRate: Bool
    /// One repetition a second instead of as many as allowed.
    let hasTightBudget: Bool
    /// How long things take: in a coarse world many of them happen at the same moment.
    let grain: Int

    init(_ dice: Dice) {
        isCoalescing = dice.rolls(oneIn: 2)
        hasBreaker = dice.rolls(oneIn: 4)
        // One to open the circuit, two to come at once for the probe, and one to come later.
        hasLimit = dice.rolls(oneIn: 2)
        // Enough of them to wait both per host and in total.
        callers = hasLimit ? 6 : hasBreaker ? 4 : 2
        hasHedge = dice.rolls(oneIn: 2)
        hasRate = dice.rolls(oneIn: 2)
        hasTightBudget = dice.rolls(oneIn: 2)
        grain = hasLimit && dice.rolls(oneIn: 2) ? 500 : 1
    }
}

extension WorldSettings {
    /// A time below `limit` milliseconds.
    func time(_ dice: Dice, below limit: Int) -> Duration { .milliseconds(dice.roll(limit) / grain * grain) }
}
