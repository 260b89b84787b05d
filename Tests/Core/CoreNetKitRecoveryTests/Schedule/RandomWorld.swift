import TestSupport

@testable import CoreNetKitRecovery

/// A seeded world: servers with faults, a login with faults, callers that come and go; all in virtual time.
final class RandomWorld: Sendable {
    private enum Event: Sendable {
        case starts(Int)
        case isCancelled(Int)
    }

    static let urls = ["http://a/", "http://b/", "http://c/"].compactMap { URL(string: $0) }

    let settings: WorldSettings
    let dice: Dice
    let clock = ManualClock()
    let record: Locked<WorldRecord>
    let breaker = CircuitBreaker(minimumCalls: 1, pause: .seconds(1))
    private let executor: WorldExecutor
    private let client: Client
    private let refresher: TokenRefresher
    private let limiter = ConcurrencyLimiter(total: 2, perHost: 1)
    private let rate = RateLimiter(5)
    private let feed = CallFeed(to: ClosureCallSink { _ in })
    private let recordings = Locked<[CallRecording]>([])
    private let hedger = Hedger(after: .fixed(.milliseconds(700)))

    init(seed: UInt64, isThreaded: Bool = false) {
        let dice = Dice(seed: seed)
        let (clock, settings) = (clock, WorldSettings(dice))
        let record = Locked(WorldRecord(settings))
        let valid = Locked(0)
        self.dice = dice
        self.settings = settings
        self.record = record
        executor = WorldExecutor(dice, isThreaded: isThreaded)
        client = Client(
            transport: WorldWire(clock: clock, record: record, valid: valid, dice: dice, settings: settings),
            clock: CallClock(clock),
            seed: seed
        )
        .retryBudget(
            settings.hasTightBudget
                ? RetryBudget(ratio: 0, floor: 1) : RetryBudget(ratio: 1, floor: 100)
        )
        refresher = TokenRefresher(token: AccessToken("0"), origins: .any, timeout: .seconds(5), coolDown: .seconds(1))
        { _ in
            record.withLock { $0.refreshes.enter() }
            defer { record.withLock { $0.refreshes.now -= 1 } }
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(dice.roll(7000))))
            if dice.rolls(oneIn: 3) { throw NetworkError(.forbidden, "no login", node: "Login") }
            return AccessToken("\(valid.withLock { $0 })")
        }
    }

    /// The chain, in the builder's order, with an observing node behind each policy.
    private func chain() -> any Node<TransportRequest, TransportResponse> {
        func boxed(_ node: any Node<TransportRequest, TransportResponse>) -> BoxedNode { BoxedNode(next: node) }
        var next = boxed(StatusNode(next: TransportNode(client.transport)))
        if settings.hasRate {
            next = boxed(WatchNode(next: next, place: .wire, world: self))
            next = boxed(RateNode(next: next, limiter: rate))
        }
        if settings.hasHedge {
            next = boxed(WatchNode(next: next, place: .send, world: self))
            next = boxed(HedgeNode(next: next, hedger: hedger, client: client))
            next = boxed(WatchNode(next: next, place: .race, world: self))
        }
        next = boxed(TokenNode(next: next, refresher: refresher, client: client))
        if settings.hasTightBudget { next = boxed(WatchNode(next: next, place: .attempt, world: self)) }
        next = boxed(RetryNode(next: next, policy: RetryPolicy(limit: WorldSettings.retries), client: client))
        if settings.hasLimit {
            next = boxed(WatchNode(next: next, place: .limit, world: self))
            next = boxed(LimitNode(next: next, limiter: limiter))
        }
        if settings.hasBreaker {
            next = boxed(WatchNode(next: next, place: .breaker, world: self))
            next = boxed(BreakerNode(next: next) { [breaker] _ in breaker })
        }
        return settings.isCoalescing ? CoalescingNode(next: next, by: [], client: client) : next
    }

    /// What is wrong with the records of the calls.
    private var storyProblems: [String] {
        recordings.withLock { $0 }.flatMap { $0.frozen().problems }
    }

    /// Runs the world until nothing is left to do or to wait for.
    ///
    /// - Returns: What did not hold.
    func run() -> [String] {
        let head = chain()
        var events: [(time: Duration, event: Event)] = []
        for index in 0..<settings.callers {
            let crowd = settings.grain > 1 ? 4 : 1
            events.append((settings.time(dice, below: 2000 * settings.callers / crowd), .starts(index)))
            if dice.rolls(oneIn: 3) { events.append((settings.time(dice, below: 12_000 / crowd), .isCancelled(index))) }
        }
        events.sort { $0.time > $1.time }
        let cancelled = Set(events.compactMap { if case .isCancelled(let index) = $0.event { index } else { nil } })
        var calls: [Int: Task<Void, Never>] = [:]
        while true {
            executor.runUntilIdle { self.afterStep(calls) }
            checkPlaces()
            let wakeTime = clock.sleepers.first?.offset
            guard let (time, event) = events.last, wakeTime.map({ time <= $0 }) ?? true else {
                guard let wakeTime else { break }
                clock.advance(to: .init(offset: wakeTime))
                continue
            }
            events.removeLast()
            clock.advance(to: .init(offset: time))
            switch event {
            case .starts(let index): calls[index] = start(index, head, mayBeCancelled: cancelled.contains(index))
            case .isCancelled(let index): calls[index]?.cancel()
            }
        }
        return verdict() + storyProblems
    }

    /// What holds after every single step; between two of them a caller may give up.
    private func afterStep(_ calls: [Int: Task<Void, Never>]) {
        guard settings.hasLimit else { return }
        let problems = limiter.problems
        if !problems.isEmpty { record.withLock { $0.problems += problems } }
        guard dice.rolls(oneIn: 16), let call = calls.randomElement(dice) else { return }
        let mayBeCancelled = record.withLock { $0.cancelled.insert(call.key).inserted }
        if mayBeCancelled { call.value.cancel() }
    }

    /// When nothing can run, callers with a place are inside.
    private func checkPlaces() {
        guard settings.hasLimit else { return }
        let (taken, hosts) = (limiter.callsInFlight, limiter.hosts)
        record.withLock { record in
            if taken != record.places.now {
                record.problems.append("\(taken) places taken, \(record.places.now) inside")
            }
            for (url, inside) in zip(Self.urls, record.hostPlaces) {
                let host = hosts["\(url.host ?? ""):80"] ?? (0, 0, 0)
                if host.taken - host.admitted != inside.now {
                    record.problems.append("\(host.taken) places of \(url) taken, \(inside.now) inside")
                }
            }
        }
    }

    private func start(
        _ index: Int,
        _ head: any Node<TransportRequest, TransportResponse>,
        mayBeCancelled: Bool
    ) -> Task<Void, Never> {
        var request = TransportRequest(
            method: dice.rolls(oneIn: 4) ? .post : .get,
            url: Self.urls[dice.roll(Self.urls.count)]
        )
        request.headers.append("X-Call", "\(index)")
        var context = RequestContext(deadline: nil, clock: client.clock) { call in
            let options = CallRecording.Options(feeds: [feed])
            return CallRecording(options, call: call, clock: client.clock, date: Date(timeIntervalSince1970: 0))
        }
        if let recording = context.recording { recordings.withLock { $0.append(recording) } }
        if dice.rolls(oneIn: 2) { context.deadline = client.clock.now + .milliseconds(1 + dice.roll(9000)) }
        return Task(executorPreference: executor) { [clock, record, request, context] in
            let result: Result<TransportResponse, any Error>
            do {
                result = .success(try await head.process(request, context: context))
                context.recording?.finish(.completed)
            } catch {
                result = .failure(error)
                context.recording?.finish(error is CancellationError ? .cancelled : .failed(.init(error)))
            }
            record.withLock {
                let hasDeadline = context.deadline != nil
                let isCancelled = mayBeCancelled || $0.cancelled.contains(index)
                $0.ends(result, at: clock.now.offset, isCancelled: isCancelled, hasDeadline: hasDeadline)
            }
        }
    }

    private func verdict() -> [String] {
        var problems = record.withLock { $0.verdict }
        if limiter.callsInFlight + limiter.callsWaiting > 0 { problems.append("places are still taken") }
        if refresher.callsWaiting + client.callsCoalesced > 0 { problems.append("somebody still waits") }
        return problems
    }
}

extension [Int: Task<Void, Never>] {
    /// A random element, repeatable by a seed.
    fileprivate func randomElement(_ dice: Dice) -> Element? {
        guard !isEmpty else { return nil }
        let key = keys.sorted()[dice.roll(count)]
        return self[key].map { (key, $0) }
    }
}

/// Any node as one type, without the names that `AnyNode` keeps.
private struct BoxedNode: Node {
    let next: any Node<TransportRequest, TransportResponse>

    var successors: [any Node] { [next] }

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        try await next.process(input, context: context)
    }
}

/// Responds at random: latency, statuses, lost connections, refused tokens.
struct WorldWire: Transport {
    let clock: ManualClock
    let record: Locked<WorldRecord>
    let valid: Locked<Int>
    let dice: Dice
    let settings: WorldSettings

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let caller = request.headers["X-Call"].flatMap { Int($0) }
        record.withLock { record in
            if let caller { record.sent[caller] += 1 }
            record.requests.enter()
        }
        defer { record.withLock { $0.requests.now -= 1 } }
        let start = clock.now
        let latency = settings.time(dice, below: 2000)
        let limit = request.timeouts.total ?? .seconds(3600)
        try await clock.sleep(until: start.advanced(by: min(latency, limit)))
        if latency >= limit { throw TransportError(.timedOut, phase: .wait, message: "scripted") }
        if dice.rolls(oneIn: 6) { valid.withLock { $0 += 1 } }
        guard request.headers["Authorization"] == "Bearer \(valid.withLock { $0 })" else {
            return .init(status: 401, url: request.url)
        }
        switch dice.roll(8) {
        case 0: return .init(status: 503, headers: ["Retry-After": "\(dice.roll(4))"], url: request.url)
        case 1: throw TransportError(.connectionLost, phase: .wait, message: "scripted")
        case 2: return .init(status: 500, url: request.url)
        default: return .init(status: 200, url: request.url)
        }
    }
}
