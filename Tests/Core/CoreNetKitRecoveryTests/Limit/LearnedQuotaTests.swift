import TestSupport

@testable import CoreNetKitRecovery

/// A server with one quota, and callers that always have another request: both in virtual time.
struct QuotaModel {
    enum Kind: CaseIterable, Sendable {
        /// Periods begin at fixed times, or with their first request.
        case periods, periodsFromFirst
        /// Tokens come all the time; the reset is the time until the bucket is full, or until the next token.
        case tokens, tokensToNext
    }

    struct Result {
        /// The refusals after the first period.
        var refused = 0
        /// The used part of the quota: in all periods but the last, or after as long as one.
        var use = 0.0
    }

    private enum Step { case arrives, ended, turn }

    private struct Request {
        let sent: Double
        let ended: Int?
        var report: QuotaReport?
    }

    private let kind: Kind
    private let quota: Double
    private let period: Double
    private let latency: Double
    private let isWhole: Bool

    private var (left, start, seen, used, periods) = (0.0, -Double.infinity, 0.0, 0, 0)
    private var learned: LearnedQuota?
    private var requests: [Request] = []
    private var (callers, uncounted, now) = (0, 0, 0.0)
    /// What happens next, the earliest last.
    private var steps: [(time: Double, step: Step, request: Int)] = []
    private var random = SplitMix64(seed: 1)
    private var result = Result()

    /// Creates a server that rounds times up to whole seconds, or gives them exactly.
    init(_ kind: Kind, quota: Int, period: Double, latency: Double, isWhole: Bool) {
        (self.kind, self.quota, self.period) = (kind, Double(quota), period)
        (self.latency, self.isWhole, left) = (latency, isWhole, Double(quota))
    }

    mutating func run(calls: Int, atOnce count: Int) -> Result {
        callers = count
        send(calls)
        while let next = steps.popLast() {
            now = next.time
            switch next.step {
            case .arrives:
                requests[next.request].report = serve()
                add(.ended, delay(), next.request)
            case .ended:
                let request = requests[next.request]
                if request.ended == nil { uncounted -= 1 } else { learned?.ended += 1 }
                var quota = learned ?? LearnedQuota()
                if let report = request.report {
                    quota.learn(report, sent: .seconds(request.sent), after: request.ended, at: .seconds(now))
                }
                (learned, callers) = (quota, callers + 1)
            case .turn: break
            }
            send(calls)
            if requests.count == calls, callers == count { break }
        }
        let hasPeriods = kind == .periods || kind == .periodsFromFirst
        result.use = Double(used) / quota / (hasPeriods ? Double(periods) : (now - period) / period)
        return result
    }

    private mutating func send(_ calls: Int) {
        while callers > 0, requests.count < calls {
            let turn = learned?.turn(at: .seconds(now), ahead: uncounted) ?? .seconds(now)
            guard turn <= .seconds(now) else {
                // Reports change the turn; a later step for an old one does no harm.
                let time = max(turn / .seconds(1), now + 1e-6)
                if steps.first(where: { $0.step == .turn })?.time != time {
                    steps.removeAll { $0.step == .turn }
                    add(.turn, time - now, 0)
                }
                return
            }
            callers -= 1
            let ended = learned?.send(at: .seconds(now))
            if ended == nil { uncounted += 1 }
            requests.append(Request(sent: now, ended: ended))
            add(.arrives, delay(), requests.count - 1)
        }
    }

    private mutating func serve() -> QuotaReport {
        switch kind {
        case .periods, .periodsFromFirst:
            if now >= start + period {
                if start >= 0 { (used, periods) = (used + Int(quota - left), periods + 1) }
                (start, left) = (kind == .periods ? (now / period).rounded(.down) * period : now, quota)
            }
        case .tokens, .tokensToNext: left = min(quota, left + (now - seen) * quota / period)
        }
        seen = now
        let isRefused = left < 1
        if !isRefused { left -= 1 }
        if isRefused, now > period { result.refused += 1 }
        let wait =
            switch kind {
            case .periods, .periodsFromFirst: start + period - now
            case .tokens: (quota - left) * period / quota
            case .tokensToNext: max(0, 1 - left) * period / quota
            }
        if kind == .tokens || kind == .tokensToNext, now > period, !isRefused { used += 1 }
        let (shortest, longest) = isWhole ? (wait.rounded(.up) - 1, wait.rounded(.up) + 1) : (wait, wait)
        return QuotaReport(limit: Int(quota), left: Int(left), shortest: .seconds(shortest), longest: .seconds(longest))
    }

    private mutating func delay() -> Double {
        latency / 2 * (0.5 + Double(random.next() >> 11) * 0x1p-53)
    }

    private mutating func add(_ step: Step, _ wait: Double, _ request: Int) {
        let time = now + wait
        let index = steps.lastIndex { $0.time >= time }.map { $0 + 1 } ?? 0
        steps.insert((time, step, request), at: index)
    }
}

@Suite("A learned quota", .timeLimit(.minutes(10)), .paced)
struct LearnedQuotaTests {
    @Test(
        "nothing is refused after the first period, and 95 % of the quota is used, however many requests are in flight",
        arguments: QuotaModel.Kind.allCases,
        [(1, 0.001), (8, 0.05), (20, 0.5), (64, 0.5)]
    )
    func isUsed(kind: QuotaModel.Kind, load: (count: Int, latency: Double)) {
        for (quota, period, calls) in [(10, 10.0, 1000), (100, 60, 3000), (1000, 60, 10_000)] {
            // One caller at a time cannot use more.
            guard Double(load.count) / load.latency > 1.5 * Double(quota) / period else { continue }
            for isWhole in [false, true] {
                var model = QuotaModel(kind, quota: quota, period: period, latency: load.latency, isWhole: isWhole)
                let result = model.run(calls: calls, atOnce: load.count)
                #expect(result.refused == 0, "\(quota) in \(period) s, whole seconds: \(isWhole)")
                #expect(result.use >= 0.95, "\(quota) in \(period) s, whole seconds: \(isWhole)")
            }
        }
    }
}
