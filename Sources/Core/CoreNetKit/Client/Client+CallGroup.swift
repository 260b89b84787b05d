public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

extension Client {
    /// The calls of a client, to end them together: all at once at a logout, or in peace before a server stops.
    ///
    /// Make one and give it to a ``Client`` or to builders with `group(_:)`. A call whose response is a stream belongs to the
    /// group until the stream has ended or is dropped; a socket belongs to it while it connects.
    public final class CallGroup: Sendable {
        private struct State {
            var calls = CallTable()
            var isShutDown = false
            var waiters: [Waiter<Void>] = []
        }

        private let state = Locked(State())

        /// Creates a group without calls.
        public init() {}

        /// How many calls are under way.
        public var callsInFlight: Int { state.withLock { $0.calls.count } }

        /// Cancels the calls that are under way; calls that begin later run as ever.
        ///
        /// They end as cancelled, on the wire too: their observers are told `onCanceled`, who awaits them gets a
        /// `CancellationError`, and the task that awaits is not cancelled itself. A stream that is being read ends in the same way.
        ///
        /// - Returns: How many calls were cancelled.
        @discardableResult
        public func cancelAll() -> Int {
            let cancelled = state.withLock { $0.calls.cancelAll() }
            for member in cancelled.members { member.cancel() }
            return cancelled.count
        }

        /// Lets the calls that are under way come to their end, and no other begin.
        ///
        /// Calls that begin later fail with `shutDown`, for good. Where the limit passes, or the task that waits is cancelled, the
        /// calls that are left are cancelled and no longer waited for.
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

        /// Takes a call in.
        ///
        /// - Returns: Its place; `nil` after a shutdown.
        func enter() -> CallTable.Place? {
            state.withLock { $0.isShutDown ? nil : $0.calls.enter() }
        }

        /// Says which task ends the call when it is cancelled; at once where that has happened.
        func hold(_ task: Task<TransportResponse, any Error>, at place: CallTable.Place) {
            if !state.withLock({ $0.calls.hold(.task(task), at: place) }) { task.cancel() }
        }

        /// Says how the call is cancelled, once its response is a stream.
        ///
        /// - Returns: Whether it has not been cancelled yet.
        func hold(at place: CallTable.Place, _ cancel: @escaping @Sendable () -> Void) -> Bool {
            state.withLock { $0.calls.hold(.stream(cancel), at: place) }
        }

        /// Lets a call go.
        ///
        /// - Returns: Whether the group had cancelled it.
        @discardableResult
        func leave(_ place: CallTable.Place) -> Bool {
            let (call, waiters) = state.withLock {
                state -> ((isCancelled: Bool, member: CallTable.Member?), [Waiter<Void>]) in
                let call = state.calls.leave(place)
                guard state.calls.count == 0, !state.waiters.isEmpty else { return (call, []) }
                defer { state.waiters = [] }
                return (call, state.waiters)
            }
            for waiter in waiters { waiter.resume(.success(())) }
            return call.isCancelled
        }
    }
}
