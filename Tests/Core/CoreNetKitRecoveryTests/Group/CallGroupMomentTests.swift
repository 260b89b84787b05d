import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

@testable import CoreNetKit

/// Runs tasks' jobs when a test says so, so that a moment between two of them can be held.
private final class StepExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isFree = false
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.jobs.isEmpty } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let runsNow = state.withLock { state in
            if !state.isFree { state.jobs.append(job) }
            return state.isFree
        }
        if runsNow { run(job) }
    }

    func step() {
        let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
        if let job { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// From now on jobs run automatically.
    func free() {
        let jobs = state.withLock { state in
            state.isFree = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { run(job) }
    }

    private func run(_ job: UnownedJob) {
        Task.detached { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

@Suite("A group cancelled at any moment", .timeLimit(.minutes(10)), .paced)
struct CallGroupMomentTests {
    @Test("reaches a call whose response has arrived but was not handed over yet", arguments: [true, false])
    func handOver(isStream: Bool) async throws {
        let (group, gate, responded, closed) = (Client.CallGroup(), Gate(), Recorder<Void>(), Recorder<Void>())
        let wire = Wire { _, request in
            try await gate.pass()
            var response = TransportResponse(status: 200, url: request.url)
            if isStream {
                response.body = .stream(
                    ResponseStream(next: { Data("a".utf8) }, cancel: { closed.record(()) })
                )
            }
            responded.record(())
            return response
        }
        let node = GroupNode(next: TransportNode(wire), group: group)
        let request = TransportRequest(method: .get, url: try #require(URL(string: host)))
        let executor = StepExecutor()
        let call = Task(executorPreference: executor) { try await node.process(request, context: RequestContext()) }
        await until {
            executor.step()
            return wire.count == 1
        }
        await gate.arrived(1)
        gate.open()
        await until {
            if responded.values.isEmpty { executor.step() }
            return !responded.values.isEmpty && !executor.isEmpty
        }
        #expect(group.cancelAll() == 1)
        executor.free()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(group.callsInFlight == 0)
        #expect(closed.values.isEmpty != isStream)
    }
}
