import CoreNetKitChain
import CoreNetKitSystem

/// A call's place in the order in which results are told: that of the turns in which the calls were sent.
///
/// Without it the call that had its turn second might be told first, as its task is another one.
package final class TellingPlace: Sendable {
    /// The place of the call that this task works for.
    @TaskLocal package static var current: TellingPlace?

    private struct State: Sendable {
        var isTaken = false
        var earlier: TellingPlace?
    }

    private let state = Locked(State())
    private let isTold = Waiter<Void>()

    package init() {}

    /// Takes its place behind the last one, with the first turn of its call.
    package func follow(_ last: inout TellingPlace?) {
        let previous = last
        let begins = state.withLock { state in
            guard !state.isTaken else { return false }
            state = State(isTaken: true, earlier: previous)
            return true
        }
        if begins { last = self }
    }

    /// Runs work, and hands its result over when the one before it was; a call that is cancelled does not wait for that.
    ///
    /// It is never waited for with a turn in hand, so the call before it can go on.
    package func run<Value: Sendable>(
        _ work: @Sendable () async throws -> Value,
        tell: (Result<Value, any Error>) -> Void
    ) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await TellingPlace.$current.withValue(self) { try await work() })
        } catch {
            result = .failure(error)
        }
        let earlier = state.withLock { state in
            defer { state = State(isTaken: true) }
            return state.earlier
        }
        if let earlier { try? await earlier.isTold.value() }
        tell(result)
        isTold.resume(.success(()))
    }
}
