import CoreNetKitMock

extension ManualClock {
    /// Runs work while the time goes on to each sleeper in turn, as soon as the tasks that were woken have gone on.
    func running<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let driver = Task {
            while true {
                try await waitForSleepers(1)
                for _ in 0..<50 { await Task.yield() }
                try await advanceToNextSleeper()
            }
        }
        defer { driver.cancel() }
        return try await work()
    }
}
