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
            var calls: [UInt64: @Sendable () -> Void] = [:]
            var last: UInt64 = 0
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
            let cancels = state.withLock { Array($0.calls.values) }
            for cancel in cancels { cancel() }
            return cancels.count
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
                if !state.calls.isEmpty { state.waiters.append(waiter) }
                return state.calls.isEmpty
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
        /// - Parameter cancel: Cancels it.
        /// - Returns: Its number; `nil` after a shutdown.
        func enter(_ cancel: @escaping @Sendable () -> Void) -> UInt64? {
            state.withLock { state in
                guard !state.isShutDown else { return nil }
                state.last += 1
                state.calls[state.last] = cancel
                return state.last
            }
        }

        /// Changes how a call is cancelled, once its response is a stream.
        func replace(_ number: UInt64, _ cancel: @escaping @Sendable () -> Void) {
            state.withLock { state in
                if state.calls[number] != nil { state.calls[number] = cancel }
            }
        }

        func leave(_ number: UInt64) {
            let waiters = state.withLock { state in
                state.calls[number] = nil
                guard state.calls.isEmpty else { return [Waiter<Void>]() }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume(.success(())) }
        }
    }
}
