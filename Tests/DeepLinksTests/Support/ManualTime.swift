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

    private let milliseconds = Atomic(0)

    var now: Instant { Instant(offset: .milliseconds(milliseconds.load(ordering: .sequentiallyConsistent))) }
    var minimumResolution: Duration { .milliseconds(1) }

    func advance(milliseconds amount: Int) {
        milliseconds.wrappingAdd(amount, ordering: .sequentiallyConsistent)
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        throw CancellationError()
    }
}
