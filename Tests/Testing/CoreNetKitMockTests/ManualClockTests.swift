import TestSupport

@Suite("ManualClock", .timeLimit(.minutes(10)), .paced)
struct ManualClockTests {
    @Test("time stands still until it is advanced, and never goes back")
    func time() {
        let clock = ManualClock()
        let start = clock.now
        #expect(clock.now == start)
        clock.advance(by: .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(3))
        clock.advance(to: start)
        clock.advance(by: .seconds(-1))
        #expect(clock.now.offset == .seconds(3))
    }

    @Test("a deadline in the past does not suspend")
    func past() async throws {
        let clock = ManualClock(now: .init(offset: .seconds(5)))
        try await clock.sleep(until: .init(offset: .seconds(5)))
        try await clock.sleep(for: .seconds(-1))
    }

    @Test("a cancelled task does not sleep at all")
    func cancelledBefore() async throws {
        let clock = ManualClock()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .zero)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("only sleepers whose deadline is reached wake")
    func selective() async throws {
        let clock = ManualClock()
        let tasks = (1...3).map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        try await clock.waitForSleepers(3)
        clock.advance(by: .seconds(2))
        try await tasks[0].value
        try await tasks[1].value
        #expect(clock.sleepers == [.init(offset: .seconds(3))])
        clock.advance(by: .seconds(1))
        try await tasks[2].value
    }

    @Test("sleepers wake in the order of their deadlines, and for one deadline in the order in which they began")
    func wakingOrder() {
        let clock = ManualClock()
        let executor = StepExecutor()
        let woken = Locked<[Int]>([])
        for (index, seconds) in [2, 1, 1, 3, 1, 2].enumerated() {
            Task(executorPreference: executor) {
                try await clock.sleep(for: .seconds(seconds))
                woken.withLock { $0.append(index) }
            }
        }
        executor.run()
        #expect(clock.sleepers.map(\.offset) == [1, 1, 1, 2, 2, 3].map { .seconds($0) })
        clock.advance(by: .seconds(5))
        #expect(clock.sleepers.isEmpty)
        executor.run()
        #expect(woken.withLock { $0 } == [1, 2, 4, 0, 5, 3])
    }

    @Test("cancelling a sleep throws and removes it from the list")
    func cancelled() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers.isEmpty)
        clock.advance(by: .seconds(1))
    }

    @Test("a series of waits is stepped through one by one")
    func series() async throws {
        let clock = ManualClock()
        let task = Task {
            for seconds in [1, 2, 4] { try await clock.sleep(for: .seconds(seconds)) }
            return clock.now.offset
        }
        var times: [Duration] = []
        for _ in 0..<3 { times.append(try await clock.advanceToNextSleeper().offset) }
        #expect(times == [.seconds(1), .seconds(3), .seconds(7)])
        #expect(try await task.value == .seconds(7))
    }

    @Test("waiting for sleepers that never come ends with the waiting task")
    func cancelledWait() async throws {
        let clock = ManualClock()
        let wait = Task { try await clock.advanceToNextSleeper() }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }

    @Test("many sleepers, cancelled and woken from many tasks, all end")
    func crowd() async throws {
        let clock = ManualClock()
        let tasks = (0..<200).map { index in
            Task { try await clock.sleep(for: .milliseconds(index % 10 + 1)) }
        }
        try await clock.waitForSleepers(200)
        await withTaskGroup(of: Void.self) { group in
            for index in stride(from: 0, to: 200, by: 3) { group.addTask { tasks[index].cancel() } }
            for _ in 0..<10 { group.addTask { clock.advance(by: .milliseconds(1)) } }
        }
        for (index, task) in tasks.enumerated() {
            do { try await task.value } catch { #expect(error is CancellationError && index % 3 == 0) }
        }
        #expect(clock.sleepers.isEmpty)
        #expect(clock.now.offset == .milliseconds(10))
    }
}
