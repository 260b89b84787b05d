import Dispatch
import Synchronization

/// A clock that only the test moves.
final class ManualTime: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    /// Whether reading the time cancels the task that reads it: to be cancelled in the middle of a call.
    let cancelsReader = Atomic(false)
    private let milliseconds = Atomic(0)

    var now: Instant {
        if cancelsReader.load(ordering: .sequentiallyConsistent) { withUnsafeCurrentTask { $0?.cancel() } }
        return Instant(offset: .milliseconds(milliseconds.load(ordering: .sequentiallyConsistent)))
    }

    var minimumResolution: Duration { .milliseconds(1) }

    func advance(milliseconds amount: Int) {
        milliseconds.wrappingAdd(amount, ordering: .sequentiallyConsistent)
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        throw CancellationError()
    }
}
