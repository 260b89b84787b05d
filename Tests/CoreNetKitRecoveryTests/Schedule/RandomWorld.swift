import CoreNetKit
import CoreNetKitMock
import CoreNetKitTransport
import Foundation

/// A seeded world: a server with faults, a login with faults, callers that come and go; all in virtual time.
final class RandomWorld: Sendable {
    struct Tally: Sendable {
        var requests: [Int: Int] = [:]
        var refreshing = 0
        var mostRefreshing = 0
        var inside = 0
        var mostInside = 0
        var endings = 0
        var problems: [String] = []
    }

    static let retries = 2

    let clock = ManualClock()
    let tally = Locked(Tally())
    let valid: Locked<Int>
    let refresher: TokenRefresher
    let limiter: ConcurrencyLimiter
    let client: Client
    let head: any Node<TransportRequest, TransportResponse>
    let callers: Int
    let isCoalescing: Bool
    let hasBudget: Bool
    private let dice: Locked<SplitMix64>

    init(seed: UInt64) {
        let dice = Locked(SplitMix64(seed: seed))
        let (clock, tally, valid) = (clock, tally, Locked(0))
        self.dice = dice
        callers = 2 + Int(seed % 2)
        self.valid = valid
        isCoalescing = Self.roll(dice, 2) == 0
        hasBudget = Self.roll(dice, 2) == 0
        let wire = RandomWire(clock: clock, tally: tally, valid: valid, roll: { Self.roll(dice, $0) })
        client = Client(
            transport: wire,
            clock: CallClock(clock),
            retryBudget: hasBudget ? RetryBudget(ratio: 0, floor: 1) : RetryBudget(ratio: 1, floor: 100),
            seed: seed
        )
        refresher = TokenRefresher(token: AccessToken("0"), timeout: .seconds(5)) { _ in
            tally.withLock {
                $0.refreshing += 1; $0.mostRefreshing = max($0.mostRefreshing, $0.refreshing)
            }
            defer { tally.withLock { $0.refreshing -= 1 } }
            try await clock.sleep(until: clock.now.advanced(by: .milliseconds(Self.roll(dice, 7000))))
            if Self.roll(dice, 3) == 0 { throw NetworkError(.forbidden, "no login", stage: "Login") }
            return AccessToken("\(valid.withLock { $0 })")
        }
        limiter = ConcurrencyLimiter(total: 2, perHost: nil)
        let token = TokenNode(
            next: StatusNode(next: TransportNode(wire, clock: client.clock)),
            refresher: refresher,
            client: client
        )
        let retry = RetryNode(next: token, policy: RetryPolicy(limit: Self.retries), client: client)
        let limit = LimitNode(next: retry, limiter: limiter, client: client)
        head = isCoalescing ? CoalescingNode(next: limit, by: [], client: client) : limit
    }

    private static func roll(_ dice: Locked<SplitMix64>, _ sides: Int) -> Int {
        dice.withLock { Int.random(in: 0..<sides, using: &$0) }
    }

    private func roll(_ sides: Int) -> Int { Self.roll(dice, sides) }

    /// Runs the world to its end.
    ///
    /// - Returns: What did not hold.
    func run(_ url: URL) async throws -> [String] {
        let plans = (0..<callers).map { index in
            (
                index: index, start: roll(4000), cancel: roll(3) == 0 ? roll(12_000) : nil,
                deadline: roll(2) == 0 ? 1 + roll(9000) : nil
            )
        }
        let driver = Task { while true { try await clock.advanceToNextSleeper() } }
        await withTaskGroup(of: Void.self) { group in
            for plan in plans {
                group.addTask { [self] in
                    try? await clock.sleep(until: .init(offset: .milliseconds(plan.start)))
                    await call(plan.index, url, cancel: plan.cancel, deadline: plan.deadline)
                }
            }
        }
        // A refresh or an exchange that nobody waits for ends with its cancellation, a few turns later.
        let patience = ContinuousClock.now + .seconds(20)
        while !isIdle, ContinuousClock.now < patience { await Task.yield() }
        driver.cancel()
        return verdict()
    }

    private var isIdle: Bool {
        tally.withLock { $0.refreshing == 0 && $0.inside == 0 } && limiter.callsInFlight == 0
    }

    private func call(_ index: Int, _ url: URL, cancel: Int?, deadline: Int?) async {
        let request = TransportRequest(url: url, headers: ["X-Call": "\(index)"])
        let context = RequestContext(deadline: deadline.map { client.clock.now + .milliseconds($0) })
        let task = Task { [head] in try await head.process(request, context: context) }
        let canceller = cancel.map { cancel in
            Task {
                try await clock.sleep(until: .init(offset: .milliseconds(cancel)))
                task.cancel()
            }
        }
        let result = await task.result
        canceller?.cancel()
        tally.withLock { tally in
            tally.endings += 1
            switch result {
            case .success(let response) where response.status != 200: tally.problems.append("status \(response.status)")
            case .failure(let error as NetworkError):
                if error.code == .invalidChain { tally.problems.append("\(error)") }
                if error.history.count > Self.retries { tally.problems.append("history of \(error.history.count)") }
                if error.code == .deadlineExceeded, deadline == nil {
                    tally.problems.append("a deadline out of nowhere")
                }
            case .failure(is CancellationError):
                if cancel == nil { tally.problems.append("cancelled by nobody") }
            case .failure(let error): tally.problems.append("foreign error \(error)")
            default: break
            }
        }
    }

    private func verdict() -> [String] {
        let tally = tally.withLock { $0 }
        var problems = tally.problems
        if tally.endings != callers { problems.append("\(tally.endings) endings") }
        if tally.mostRefreshing > 1 { problems.append("\(tally.mostRefreshing) refreshes at once") }
        if tally.mostInside > 2 { problems.append("\(tally.mostInside) requests at once") }
        // Each attempt may be sent a second time with a new token.
        let most = tally.requests.values.max() ?? 0
        if most > (Self.retries + 1) * 2 { problems.append("\(most) requests of one call") }
        if limiter.callsInFlight + limiter.callsWaiting > 0 { problems.append("places are still taken") }
        if refresher.callsWaiting + client.callsCoalesced > 0 { problems.append("somebody still waits") }
        return problems
    }
}

/// Answers by dice: latency, statuses, lost connections, refused tokens.
struct RandomWire: Transport {
    let clock: ManualClock
    let tally: Locked<RandomWorld.Tally>
    let valid: Locked<Int>
    let roll: @Sendable (Int) -> Int

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let caller = request.headers["X-Call"].flatMap { Int($0) } ?? -1
        tally.withLock { tally in
            tally.requests[caller, default: 0] += 1
            tally.inside += 1
            tally.mostInside = max(tally.mostInside, tally.inside)
        }
        defer { tally.withLock { $0.inside -= 1 } }
        let start = clock.now
        let latency = Duration.milliseconds(roll(2000))
        let limit = request.timeouts.total ?? .seconds(3600)
        try await clock.sleep(until: start.advanced(by: min(latency, limit)))
        if latency >= limit { throw TransportError(.timedOut, phase: .wait, message: "scripted") }
        if roll(6) == 0 { valid.withLock { $0 += 1 } }
        guard request.headers["Authorization"] == "Bearer \(valid.withLock { $0 })" else {
            return .init(status: 401, url: request.url)
        }
        switch roll(6) {
        case 0: return .init(status: 503, headers: ["Retry-After": "\(roll(4))"], url: request.url)
        case 1: throw TransportError(.connectionLost, phase: .wait, message: "scripted")
        case 2: return .init(status: 500, url: request.url)
        default: return .init(status: 200, url: request.url)
        }
    }
}
