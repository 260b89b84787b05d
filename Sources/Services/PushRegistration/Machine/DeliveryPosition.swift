import CoreNetKitChain
import CoreNetKitSystem

/// A call's position in the order in which results are delivered: the order in which the requests were sent.
///
/// Without it a later call might deliver its result first, because each call runs in its own task.
package final class DeliveryPosition: Sendable {
    /// The position of the current task's call.
    @TaskLocal package static var current: DeliveryPosition?

    private struct State: Sendable {
        var isTaken = false
        var earlier: DeliveryPosition?
    }

    private let state = Locked(State())
    private let delivered = Waiter<Void>()

    package init() {}

    /// Takes the position after the last one, when its call sends for the first time.
    package func follow(_ last: inout DeliveryPosition?) {
        let previous = last
        let begins = state.withLock { state in
            guard !state.isTaken else { return false }
            state = State(isTaken: true, earlier: previous)
            return true
        }
        if begins { last = self }
    }

    /// Runs work, and delivers its result after the one before it; a cancelled call does not wait for that.
    ///
    /// The wait happens outside the serial queue, so the earlier call can proceed.
    package func run<Value: Sendable>(
        _ work: @Sendable () async throws -> Value,
        deliver: (Result<Value, any Error>) -> Void
    ) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await DeliveryPosition.$current.withValue(self) { try await work() })
        } catch {
            result = .failure(error)
        }
        let earlier = state.withLock { state in
            defer { state = State(isTaken: true) }
            return state.earlier
        }
        if let earlier { try? await earlier.delivered.value() }
        deliver(result)
        delivered.resume(.success(()))
    }
}
