import PushRegistration
import TestSupport

@Suite("One caller at a time", .timeLimit(.minutes(10)), .paced)
struct SerialQueueTests {
    /// Callers that come one after another while the first is inside.
    private final class Line: Sendable {
        /// One is in the queue before the next one comes.
        let steps = StepExecutor()
        let queue = SerialQueue()
        let entered = Locked<[Int]>([])
        private let inside = Locked<CheckedContinuation<Void, Never>?>(nil)

        init() {
            _ = come(0) { [inside] in await withCheckedContinuation { call in inside.withLock { $0 = call } } }
        }

        func come(_ number: Int, _ work: @escaping @Sendable () async -> Void = {}) -> Task<Void, any Error> {
            defer { steps.run() }
            return Task(executorPreference: steps) { [queue, entered] in
                try await queue.run {
                    entered.withLock { $0.append(number) }
                    await work()
                }
            }
        }

        /// Lets the first one leave, and all others in their turn.
        func go() {
            inside.withLock { $0.take() }?.resume()
            steps.run()
        }
    }

    @Test("enters after those who came before")
    func order() async throws {
        let line = Line()
        let callers = (1...5).map { line.come($0) }
        #expect(line.entered.withLock { $0 } == [0])
        line.go()
        for caller in callers { try await caller.value }
        #expect(line.entered.withLock { $0 } == [0, 1, 2, 3, 4, 5])
    }

    @Test("is not waited for once it was cancelled, and is told so at once")
    func cancelled() async throws {
        let line = Line()
        let callers = (1...4).map { line.come($0) }
        for number in [1, 3] { callers[number].cancel() }
        line.steps.run()
        for number in [1, 3] { await #expect(throws: CancellationError.self) { try await callers[number].value } }
        #expect(line.entered.withLock { $0 } == [0])
        line.go()
        for number in [0, 2] { try await callers[number].value }
        #expect(line.entered.withLock { $0 } == [0, 1, 3])
        // No caller is left inside.
        try await line.come(9).value
    }

    @Test("leaves the place to the next one when its step throws")
    func failing() async throws {
        struct Failure: Error {}
        let queue = SerialQueue()
        await #expect(throws: Failure.self) { try await queue.run { throw Failure() } }
        #expect(try await queue.run { 1 } == 1)
    }
}
