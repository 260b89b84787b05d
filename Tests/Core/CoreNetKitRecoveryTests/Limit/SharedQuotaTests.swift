import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@testable import CoreNetKitRecovery

/// A server with one quota, a store, and processes whose callers always have another request: all in virtual time.
struct FleetModel {
    struct Load: CustomTestStringConvertible, Sendable {
        /// The callers of each process.
        let callers: [Int]
        let latency: Double
        var testDescription: String { "\(callers) callers, \(latency) s" }
    }

    private enum Step {
        case looks(Int)
        case arrives(Int)
        case ended(Int)
        case reads(Int, LearnedQuota, callers: Int, now: Duration)
        case writes(Int, LearnedQuota, callers: Int, now: Duration, QuotaChange, version: Int)
    }

    private struct Request {
        let process: Int
        let sent: Double
        let ended: Int?
        var report: QuotaReport?
    }

    private struct Process {
        var quota: LearnedQuota?
        var callers: Int
        var uncounted = 0
        var isAsking = false
        var isDead = false
    }

    private let kind: QuotaModel.Kind
    private let quota: Double
    private let period: Double
    private let load: Load
    private let isWhole: Bool
    private let calls: Int
    /// When the store is away, and when the first process dies.
    var away = 0.0..<0.0
    var death = Double.infinity

    private var (now, left, start, seen) = (0.0, 0.0, -Double.infinity, 0.0)
    private var stored: SharedQuota?
    private var version = 0
    private var processes: [Process]
    private var requests: [Request] = []
    private var steps: [(time: Double, step: Step)] = []
    private var random = SplitMix64(seed: 1)
    /// When requests were sent that the server refused and took.
    private(set) var (refused, used): ([Double], [Double]) = ([], [])

    init(_ kind: QuotaModel.Kind, quota: Int, period: Double, _ load: Load, isWhole: Bool, calls: Int) {
        (self.kind, self.quota, self.period, self.load) = (kind, Double(quota), period, load)
        (self.isWhole, self.calls, left) = (isWhole, calls, Double(quota))
        processes = load.callers.map { Process(callers: $0) }
    }

    /// The used part of the quota, in whole periods after the first.
    var use: Double {
        let end = (now / period).rounded(.down) * period
        return Double(used.count { period <= $0 && $0 < end }) / quota / (end / period - 1)
    }

    mutating func run() {
        for process in processes.indices { add(.looks(process), 0) }
        while let next = steps.popLast() {
            now = next.time
            if now >= death { processes[0].isDead = true }
            switch next.step {
            case .looks(let process): look(process)
            case .arrives(let index):
                requests[index].report = serve()
                add(.ended(index), delay(load.latency / 2))
            case .ended(let index): end(requests[index])
            case .reads(let process, let news, let callers, let time):
                guard !away.contains(now) else { receive(nil, process); continue }
                let change = news.added(to: stored, for: callers, at: time)
                guard change.quota != stored else { receive(change, process); continue }
                let step = Step.writes(process, news, callers: callers, now: time, change, version: version)
                add(step, delay(0.001))
            case .writes(let process, let news, let callers, let time, let change, let expected):
                if away.contains(now) {
                    receive(nil, process)
                } else if version != expected {
                    add(.reads(process, news, callers: callers, now: time), delay(0.001))
                } else {
                    (stored, version) = (SharedQuota(change.quota.text), version + 1)
                    receive(change, process)
                }
            }
            if requests.count >= calls { break }
        }
    }

    private mutating func end(_ request: Request) {
        var process = processes[request.process]
        if request.ended == nil { process.uncounted -= 1 }
        var quota = process.quota ?? LearnedQuota(share: QuotaShare())
        if request.ended != nil { quota.end(sent: .seconds(request.sent)) }
        if let report = request.report {
            quota.learn(report, sent: .seconds(request.sent), after: request.ended, at: .seconds(now))
        }
        (process.quota, process.callers) = (quota, process.callers + 1)
        processes[request.process] = process
        look(request.process)
    }

    private mutating func receive(_ change: QuotaChange?, _ process: Int) {
        processes[process].isAsking = false
        processes[process].quota?.receive(change, at: .seconds(now))
        look(process)
    }

    private mutating func look(_ index: Int) {
        var process = processes[index]
        defer { processes[index] = process }
        let time = Duration.seconds(now)
        while process.callers > 0, !process.isAsking, !process.isDead, requests.count < calls {
            if process.quota?.asks(at: time) == true, let news = process.quota?.takeNews() {
                process.isAsking = true
                add(.reads(index, news, callers: process.callers, now: time), delay(0.001))
                return
            }
            let turn = process.quota?.turn(at: time, ahead: process.uncounted) ?? time
            guard turn <= time else {
                let wake = (process.quota?.wake(before: turn) ?? turn) / .seconds(1)
                // Reports change the turn; a later look for an old one does no harm.
                steps.removeAll { if case .looks(index) = $0.step { true } else { false } }
                return add(.looks(index), max(wake - now, 1e-6))
            }
            process.callers -= 1
            let ended = process.quota?.send(at: time)
            if ended == nil { process.uncounted += 1 }
            requests.append(Request(process: index, sent: now, ended: ended))
            add(.arrives(requests.count - 1), delay(load.latency / 2))
        }
    }

    private mutating func serve() -> QuotaReport {
        let isPeriodic = kind == .periods || kind == .periodsFromFirst
        if !isPeriodic {
            left = min(quota, left + (now - seen) * quota / period)
        } else if now >= start + period {
            (start, left) = (kind == .periods ? (now / period).rounded(.down) * period : now, quota)
        }
        seen = now
        if left < 1 {
            refused.append(now)
        } else {
            left -= 1
            used.append(now)
        }
        let wait = isPeriodic ? start + period - now : (quota - left) * period / quota
        let (shortest, longest) = isWhole ? (wait.rounded(.up) - 1, wait.rounded(.up) + 1) : (wait, wait)
        return QuotaReport(limit: Int(quota), left: Int(left), shortest: .seconds(shortest), longest: .seconds(longest))
    }

    private mutating func delay(_ time: Double) -> Double {
        time * (0.5 + Double(random.next() >> 11) * 0x1p-53)
    }

    private mutating func add(_ step: Step, _ wait: Double) {
        let time = now + wait
        let index = steps.lastIndex { $0.time >= time }.map { $0 + 1 } ?? 0
        steps.insert((time, step), at: index)
    }
}

@Suite("A learned quota that processes share", .timeLimit(.minutes(10)), .paced)
struct SharedQuotaTests {
    static let kinds = [QuotaModel.Kind.periods, .periodsFromFirst, .tokens]
    static let loads = [
        FleetModel.Load(callers: [1, 1, 1, 1], latency: 0.02), .init(callers: [8, 8, 8, 8], latency: 0.05),
        .init(callers: [20, 20, 20, 20], latency: 0.5), .init(callers: [40, 1, 1, 1], latency: 0.1),
    ]

    @Test("nothing is refused after the first period, and 95 % of the quota is used", arguments: kinds, loads)
    func isUsed(kind: QuotaModel.Kind, load: FleetModel.Load) {
        for (quota, calls) in [(100, 2000), (1000, 10_000)] {
            for isWhole in [false, true] {
                var model = FleetModel(kind, quota: quota, period: 60, load, isWhole: isWhole, calls: calls)
                model.run()
                #expect(model.refused.allSatisfy { $0 < 60 }, "\(quota), whole seconds: \(isWhole)")
                #expect(model.use >= 0.95, "\(quota), whole seconds: \(isWhole): \(model.use)")
            }
        }
    }

    @Test("a process that dies with permits takes only them along, until the restoration", arguments: kinds, loads)
    func death(kind: QuotaModel.Kind, load: FleetModel.Load) {
        var model = FleetModel(kind, quota: 1000, period: 60, load, isWhole: true, calls: 5000)
        model.death = 122
        model.run()
        #expect(model.refused.allSatisfy { $0 < 60 })
        #expect(model.use >= 0.95, "\(model.use)")
    }

    @Test(
        "while the store is away each process learns alone; from the next period on nothing is refused",
        arguments: loads
    )
    func away(load: FleetModel.Load) {
        var model = FleetModel(.periods, quota: 1000, period: 60, load, isWhole: false, calls: 6000)
        model.away = 144..<204
        model.run()
        #expect(model.refused.allSatisfy { $0 < 60 || 144..<240 ~= $0 })
        #expect(model.refused.count { $0 >= 60 } <= 12)
        #expect(model.use >= 0.95, "\(model.use)")
    }

    @Test(
        "what is not the text of a quota is read as none",
        arguments: ["", "1 2 3 4", "1 2 3 4 x", "1 2 3 4 -5", "9 9 9 9 9e9"]
    )
    func text(text: String) {
        #expect(SharedQuota(text) == nil)
        #expect(SharedQuota("5 4 3 2 1")?.text == "5 4 3 2 1")
        #expect(SharedQuota("9223372036854775807 0 0 0 0") == nil)
    }
}
