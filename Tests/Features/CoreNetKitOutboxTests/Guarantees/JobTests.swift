import FileModel
import TestSupport

@testable import CoreNetKitOutbox

/// Work whose state is elsewhere: what is to be done, and how often it was tried.
private final class Work: Sendable {
    struct State: Sendable {
        var open = 1
        var results: [OutboxJob.Outcome] = []
        var attempts = 0
    }

    let state = Locked(State())

    init(open: Int = 1, _ results: OutboxJob.Outcome...) {
        state.withLock { ($0.open, $0.results) = (open, results) }
    }

    var attempts: Int { state.withLock { $0.attempts } }

    func attempt() -> OutboxJob.Outcome {
        state.withLock { state in
            state.attempts += 1
            if !state.results.isEmpty { return state.results.removeFirst() }
            state.open = 0
            return .done
        }
    }

    func job(_ name: String = "push") -> OutboxJob {
        OutboxJob(name, isDue: { self.state.withLock { $0.open > 0 } }) { self.attempt() }
    }
}

@Suite("Jobs: work without a request of its own", .timeLimit(.minutes(10)), .paced)
struct JobTests {
    private var (files, _, outbox) = Outbox.onModel()
    private let server = TestServer()

    @Test("work that was due before there was an outbox becomes one entry, and ends when it is done")
    func due() async throws {
        let work = Work()
        outbox.assign(work.job())
        outbox.assign(work.job())
        try await outbox.drain(to: server)
        #expect(work.attempts == 1)
        #expect(await outbox.state.totals.delivered == 1)
        #expect(await outbox.state.queues.isEmpty)
        try await outbox.drain(to: server)
        #expect(work.attempts == 1)
        #expect(server.requests.isEmpty)
    }

    @Test("work that is not due is no entry")
    func notDue() async throws {
        let work = Work(open: 0)
        outbox.assign(work.job())
        try await outbox.drain(to: server)
        #expect(work.attempts == 0)
        #expect(await outbox.state.totals.delivered == 0)
    }

    @Test("the entry is on disk before the work begins; the outbox does not start it meanwhile; a failure is retried")
    func attempt() async throws {
        let work = Work(.later("busy", after: .seconds(5)))
        let time = TestTime()
        let outbox = Outbox.test(files, time: time)
        outbox.assign(work.job())
        let seen = try await outbox.attempt("push", judge: { _ in .unreachable("no network") }) {
            try await outbox.drain(to: server)
            return await Outbox.test(files.afterKill()).state.queues.map(\.name)
        }
        #expect(seen == ["push"])
        #expect(work.attempts == 0)
        #expect(await outbox.state.waiting == 1)
        try await outbox.drain(to: server)
        #expect(work.attempts == 2)
        #expect(time.now >= .seconds(5))
        #expect(await outbox.state.waiting == 0)
    }

    @Test("work done outside its turn ends the entry, and its error is thrown")
    func done() async throws {
        let value = try await outbox.attempt("push", judge: { _ in .done }) { 5 }
        #expect(value == 5)
        #expect(await outbox.state.waiting == 0)
        await #expect(throws: CancellationError.self) {
            try await outbox.attempt("push", judge: { _ in nil }) { throw CancellationError() }
        }
        #expect(await outbox.state.queues.map(\.name) == ["push"])
    }

    @Test("a job without a handler waits, and is done by a later process that has one")
    func unknown() async throws {
        _ = try await outbox.attempt("push", judge: { _ in .unreachable("no network") }) {}
        try await outbox.put("order-1")
        try await outbox.drain(to: server)
        #expect(server.effects == ["order-1": 1])
        #expect(await outbox.state.waiting == 1)
        let work = Work()
        let next = Outbox.test(files.afterKill())
        next.assign(OutboxJob("push", isDue: { nil }, carryOut: { nil }))
        next.assign(work.job())
        try await next.drain(to: server)
        #expect(work.attempts == 1)
        #expect(await next.state.waiting == 0)
    }

    @Test("a job that is done while its turn has begun and its handler is gone ends")
    func doneMeanwhile() async throws {
        let isGone = Locked(false)
        outbox.assign(
            OutboxJob("push", isDue: { true }) {
                // Another process has finished it, and this one is gone.
                await outbox.withdraw(job: "push")
                isGone.withLock { $0 = true }
                return nil
            }
        )
        try await outbox.drain(to: server)
        #expect(isGone.withLock { $0 })
        #expect(await outbox.state.waiting == 0)
    }

    @Test("a refused one is kept for a decision, and starts anew when it is requested again")
    func refused() async throws {
        let work = Work(.refused("status 422"))
        outbox.assign(work.job())
        try await outbox.drain(to: server)
        #expect(await outbox.deadLetters.all.map(\.state) == [.dead("status 422")])
        try await outbox.drain(to: server)
        #expect(work.attempts == 1)
        let next = Outbox.test(files.afterKill())
        next.assign(work.job())
        try await next.drain(to: server)
        #expect(work.attempts == 2)
        #expect(await next.deadLetters.all.isEmpty)
    }

    @Test("a full outbox accepts it: it may be an opt-out")
    func full() async throws {
        let outbox = Outbox.test(ModelFiles()) { $0.limits.entries = 1 }
        try await outbox.put("order-1")
        await #expect(throws: OutboxError.self) { try await outbox.put("order-2") }
        _ = try await outbox.attempt("push", judge: { _ in nil }) {}
        #expect(await outbox.state.queues.map(\.name).contains("push"))
    }

    @Test("if no entry can be stored the work is still done, and the reason is reported")
    func brokenDisk() async throws {
        files.fail { operation, _ in operation == .write ? 28 : nil }
        #expect(try await outbox.attempt("push", judge: { _ in .done }) { 7 } == 7)
        #expect(await outbox.state.reports.contains { if case .storage = $0 { true } else { false } })
    }

    @Test("whether one is due is asked again if it is unknown now")
    func unavailable() async throws {
        struct TestError: Error {}
        let (work, asked) = (Work(), Locked(0))
        let isDue = { @Sendable () throws -> Bool? in
            if asked.next() == 1 { throw TestError() }
            return true
        }
        outbox.assign(OutboxJob("push", isDue: isDue) { work.attempt() })
        try await outbox.drain(to: server)
        try await outbox.drain(to: server)
        #expect(work.attempts == 1)
    }

    @Test("it survives a stop at every system call: it is done in the end, with one entry")
    func stops() async throws {
        let total = await calls(of: ModelFiles(), Work())
        #expect(total > 5)
        for call in 1...total {
            let files = ModelFiles()
            files.stop(atCall: call)
            let work = Work(.unreachable("no network"))
            _ = await calls(of: files, work)
            let outbox = Outbox.test(files.afterKill())
            outbox.assign(work.job())
            try await outbox.drain(to: server)
            #expect(work.state.withLock { $0.open } == 0, "stopped at call \(call)")
            #expect(await outbox.state.waiting == 0, "stopped at call \(call)")
            #expect(await outbox.state.reports.isEmpty, "stopped at call \(call)")
        }
    }

    private func calls(of files: ModelFiles, _ work: Work) async -> Int {
        let time = TestTime()
        let outbox = Outbox.test(files, time: time)
        outbox.assign(work.job())
        _ = try? await outbox.attempt("push", judge: { _ in .later("busy") }) {}
        await outbox.drain(to: server, from: files, time)
        return files.calls
    }
}
