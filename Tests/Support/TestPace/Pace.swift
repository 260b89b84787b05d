import CoreNetKitSystem

/// Lets only so many test cases run at a time, in the order in which they come.
///
/// Swift Testing begins all cases at once, on as many threads as there are processors: what one of them awaits then comes behind
/// the beginnings of hundreds of others, later than the limits of time that a client has by default. A case that has a place
/// shares the processors with few.
public struct Pace: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal private static var hasPlace = false
    private static let places = Places(24)

    /// Of a suite, for each of its tests.
    public var isRecursive: Bool { true }

    /// Runs a case when there is a place for it.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // Suites within suites have the trait more than once.
        guard !Pace.hasPlace else { return try await function() }
        await Pace.places.take()
        defer { Pace.places.give() }
        try await Pace.$hasPlace.withValue(true) { try await function() }
    }
}

extension Trait where Self == Pace {
    /// Takes one of the places that there are for test cases.
    public static var paced: Pace { Pace() }
}

private final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting = Fifo<CheckedContinuation<Void, Never>>()
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
