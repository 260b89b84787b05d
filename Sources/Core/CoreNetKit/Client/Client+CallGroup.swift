public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

extension Client {
    /// The calls of a client, to end them together: all at once at a logout, or gracefully before a server stops.
    ///
    /// Create one and pass it to a ``Client`` or to builders with `group(_:)`. A call whose response is a stream belongs to the
    /// group until the stream has ended or is released; a socket belongs to it while it connects.
    public final class CallGroup: Sendable {
        private struct State {
            var calls = CallTable()
            var isShutDown = false
            var waiters: [Waiter<Void>] = []
        }

        private let state = Locked(State())

        /// Creates an empty group.
        public init() {}

        /// The number of calls in flight.
        public var callsInFlight: Int { state.withLock { $0.calls.count } }

        /// Cancels the calls in flight; later calls run as usual.
        ///
        /// They end as cancelled, on the wire too: their observers get `onCanceled`, tasks that await them get a
        /// `CancellationError` without being cancelled themselves. A stream that is being read ends in the same way.
        ///
        /// - Returns: How many calls were cancelled.
        @discardableResult
        public func cancelAll() -> Int {
            let cancelled = state.withLock { $0.calls.cancelAll() }
            for canceller in cancelled.cancellers { canceller.cancel() }
            return cancelled.count
        }

        /// Waits until the calls in flight have ended, and rejects new ones.
        ///
        /// Later calls fail with `shutDown`, permanently. When the limit is reached, or the waiting task is cancelled, the
        /// remaining calls are cancelled and no longer waited for.
        ///
        /// - Parameters:
        ///   - limit: How long to wait.
        ///   - clock: The clock of the limit.
        /// - Returns: How many calls were cancelled.
        @discardableResult
        public func shutdown(within limit: Duration, clock: CallClock = .continuous) async -> Int {
            let waiter = Waiter<Void>()
            let isEmpty = state.withLock { state in
                state.isShutDown = true
                if state.calls.count > 0 { state.waiters.append(waiter) }
                return state.calls.count == 0
            }
            guard !isEmpty else { return 0 }
            do {
                try await waiter.value(until: clock.time(after: limit), on: clock) { .failure(CancellationError()) }
                return 0
            } catch {
                return cancelAll()
            }
        }

        /// Adds a call.
        ///
        /// - Returns: Its slot; `nil` after a shutdown.
        func enter() -> CallTable.Slot? {
            state.withLock { $0.isShutDown ? nil : $0.calls.enter() }
        }

        /// Sets the task of the call; cancels it at once if the call was cancelled.
        func setCanceller(_ task: Task<TransportResponse, any Error>, at slot: CallTable.Slot) {
            if !state.withLock({ $0.calls.setCanceller(.task(task), at: slot) }) { task.cancel() }
        }

        /// Sets how the call is cancelled once its response is a stream.
        ///
        /// - Returns: Whether it has not been cancelled yet.
        func setCanceller(at slot: CallTable.Slot, _ cancel: @escaping @Sendable () -> Void) -> Bool {
            state.withLock { $0.calls.setCanceller(.stream(cancel), at: slot) }
        }

        /// Removes a call.
        ///
        /// - Returns: Whether the group had cancelled it.
        @discardableResult
        func leave(_ slot: CallTable.Slot) -> Bool {
            let (call, waiters) = state.withLock {
                state -> ((isCancelled: Bool, canceller: CallTable.Canceller?), [Waiter<Void>]) in
                let call = state.calls.leave(slot)
                guard state.calls.count == 0, !state.waiters.isEmpty else { return (call, []) }
                defer { state.waiters = [] }
                return (call, state.waiters)
            }
            for waiter in waiters { waiter.resume(.success(())) }
            return call.isCancelled
        }
    }
}
