package import CoreNetKitSystem

extension Waiter {
    /// Suspends the single caller, as `value()` does, and no longer than a limit; only a limit costs a task.
    package func value(
        until limit: Duration?,
        on clock: CallClock,
        late: @escaping @Sendable () -> Result<Value, any Error>
    ) async throws -> Value {
        if let outcome { return try outcome.get() }
        guard let limit else { return try await value() }
        let timer = Task.startImmediately { [self] in
            if (try? await clock.sleep(until: limit)) != nil { resume(late()) }
        }
        defer { timer.cancel() }
        return try await value()
    }

    /// Waits for work that does not observe deadlines, no longer than the call may take; late work is cancelled.
    package static func value(
        of work: @escaping @Sendable () async throws -> Value,
        until limit: Duration?,
        on clock: CallClock,
        late: @escaping @Sendable () -> NetworkError
    ) async throws -> Value {
        guard let limit else { return try await work() }
        let waiter = Waiter()
        let task = Task.startImmediately {
            do {
                waiter.resume(.success(try await work()))
            } catch {
                waiter.resume(.failure(error))
            }
        }
        defer { task.cancel() }
        return try await waiter.value(until: limit, on: clock) { .failure(late()) }
    }
}

/// Random numbers for waits, with a seed so that a test can be repeated.
package final class Jitter: Sendable {
    private let generator: Locked<SplitMix64>

    package init(seed: UInt64?) {
        generator = Locked(SplitMix64(seed: seed ?? UInt64.random(in: .min ... .max)))
    }

    /// The next number, uniformly distributed over 0..<1.
    package func next() -> Double { generator.withLock { Double($0.next() >> 11) * 0x1p-53 } }
}
