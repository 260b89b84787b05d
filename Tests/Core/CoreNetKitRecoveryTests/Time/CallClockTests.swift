import CoreNetKit
import CoreNetKitMock
import TestPace
import Testing

@Suite("The clock of calls", .timeLimit(.minutes(10)), .paced)
struct CallClockTests {
    @Test(
        "an endless wait traps on no clock, and ends with its task",
        arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) + .seconds(Int64.max)]
    )
    func forever(length: Duration) async {
        for clock in [CallClock.continuous, CallClock(SuspendingClock()), CallClock(ManualClock())] {
            // The task looks at its length before it looks at its end.
            let task = Task { try await clock.sleep(until: clock.now + length) }
            for _ in 0..<10 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(
        "a wait until a past time returns at once, however long ago",
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)]
    )
    func past(time: Duration) async throws {
        for clock in [CallClock.continuous, CallClock(SuspendingClock()), CallClock(ManualClock())] {
            try await clock.sleep(until: time)
        }
    }
}
