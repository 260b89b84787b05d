import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitCookies
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitObservability
import CoreNetKitOutbox
import CoreNetKitStreams
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

/// `TEST_ROUNDS=10000 swift test --filter RecordScheduleTests` tries so many.
///
/// The policies of the features beside those of recovery, in any combination, against a server with faults; callers
/// leave, streams are dropped, entries are delivered later. The random schedules of the recovery tests choose the order
/// of every step; here it is the machine that does.
@Suite("The record of a call", .timeLimit(.minutes(10)), .paced)
struct RecordScheduleTests {
    private static let seeds = TestRounds.seeds(60)

    @Test("is complete with cache, cookies, streams and outbox, whatever fails or leaves", arguments: 0..<2)
    func whole(shard: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("record-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let outbox = try Outbox(at: folder)
        var exchanges = 0
        for seed in stride(from: Self.seeds.lowerBound + shard, to: Self.seeds.upperBound, by: 2) {
            let records = try await Story(seed: UInt64(seed), outbox: outbox).run()
            exchanges += records.reduce(0) { $0 + $1.exchangeCount }
            for record in records {
                let problems = CallGrammar.problems(in: record)
                #expect(problems == [], "seed \(seed): \(LogTree(record, level: .debug))")
            }
        }
        #expect(exchanges > Self.seeds.count / 4)
    }
}

/// A few calls through one client with policies by chance.
private struct Story {
    private let client: Client
    private let calls: [Call]
    private let outbox: Outbox
    private let ended = Locked<[CallRecord]>([])

    private struct Call: Sendable {
        enum Form: CaseIterable, Sendable {
            case text, stream, dropped, lines, stored
        }

        let form: Form
        let path: String
        let turnsUntilCancel: Int?
    }

    init(seed: UInt64, outbox: Outbox) {
        var random = SplitMix64(seed: seed)
        self.outbox = outbox
        let ended = ended
        let mock = MockTransport { Self.script($0, seed: seed) }
        var client = Client(transport: mock, seed: seed)
            .record(to: ClosureCallSink { record in ended.withLock { $0.append(record) } })
            .set(deadline: .milliseconds(200))
        func rolls(_ sides: UInt64) -> Bool { random.next() % sides == 0 }
        if rolls(2) { client = client.cache(with: ResponseCache()) }
        if rolls(2) { client = client.cookies(in: CookieJar()) }
        if rolls(2) { client = client.retry(RetryPolicy(backoff: .exponential(base: .milliseconds(1)))) }
        if rolls(3) { client = client.hedge(after: .milliseconds(2)) }
        if rolls(3) { client = client.coalesce() }
        if rolls(3) { client = client.limit(with: ConcurrencyLimiter(total: 1)) }
        if rolls(4) { client = client.breaker(CircuitBreaker(minimumCalls: 2, pause: .milliseconds(5))) }
        if rolls(4) { client = client.rate(with: RateLimiter(500)) }
        self.client = client
        let paths = ["fresh", "stale", "flaky", "away", "broken", "cut", "slow"]
        calls = (0..<3).map { _ in
            Call(
                form: Call.Form.allCases.randomElement(using: &random) ?? .text,
                path: paths.randomElement(using: &random) ?? "fresh",
                turnsUntilCancel: random.next() % 3 == 0 ? Int(random.next() % 60) : nil
            )
        }
    }

    private static func script(_ mock: MockTransport, seed: UInt64) {
        mock.onUsualPaths()
        let stale = MockResponse.text("stale").header("Cache-Control", "max-age=0")
        mock.on(nil, "/stale", stale.header("ETag", "\"1\""))
        mock.on(nil, "/slow", MockResponse.text("slow").delayed(by: .milliseconds(4)))
    }

    /// Runs all calls and gives the records of all of them.
    func run() async throws -> [CallRecord] {
        var tasks: [Task<Void, Never>] = []
        for call in calls {
            let task = Task { await make(call) }
            tasks.append(task)
            guard let turns = call.turnsUntilCancel else { continue }
            Task {
                for _ in 0..<turns { await Task.yield() }
                task.cancel()
            }
        }
        for task in tasks { await task.value }
        _ = try? await outbox.drain(until: Date().addingTimeInterval(0.02), with: client)
        // Losers of races and dropped streams end a little later than their calls.
        let count = calls.count
        await until { ended.withLock { $0.count } >= count }
        await client.flushRecords()
        return ended.withLock { $0 }
    }

    private func make(_ call: Call) async {
        let builder = UrlChainsBuilder(client: client).route(.get, "http://a.test/\(call.path)")
        switch call.form {
        case .text:
            let chain: Chain<Void, String> = builder.build()
            _ = try? await chain.process()
        case .stream, .dropped:
            let chain: Chain<Void, ResponseStream> = builder.loadStream()
            guard let stream = try? await chain.process() else { return }
            if call.form == .dropped { return }
            do { for try await _ in stream {} } catch {}
        case .lines:
            let chain: Chain<Void, ElementStream<Int>> = builder.lines()
            guard let lines = try? await chain.process() else { return }
            do { for try await _ in lines { return } } catch {}
        case .stored:
            let chain: Chain<Void, OutboxReceipt> = UrlChainsBuilder(client: client.outbox(outbox))
                .route(.post, "http://a.test/\(call.path)")
                .enqueue()
            _ = try? await chain.process()
        }
    }
}
