import CoreNetKitHTTP
import CoreNetKitSystem

extension Client {
    /// The calls of a client, to end them together: all at once at a logout, or gracefully before a server stops.
    ///
    /// Create one and pass it to a ``Client`` or to builders with `group(_:)`. A call whose response is a stream belongs to the
    /// group until the stream has ended or is released; a socket belongs to it while it connects.
    public final class CallGroup: Sendable {
        /// The slot of a call; no other call has an equal one, not even later.
        struct Slot: Sendable {
            fileprivate let index: Int
            fileprivate let number: UInt64
        }

        /// How a call is cancelled.
        enum Canceller: Sendable {
            case task(Task<TransportResponse, any Error>)
            case stream(@Sendable () -> Void)

            func cancel() {
                switch self {
                case .task(let task): task.cancel()
                case .stream(let cancel): cancel()
                }
            }
        }

        private struct Call {
            var number: UInt64
            /// `nil` while the call begins.
            var canceller: Canceller?
            var isCancelled = false
        }

        /// The calls in flight; slots are reused, so that entering and leaving cost no look-up.
        private struct State {
            var calls: [Call?] = []
            var free: [Int] = []
            var last: UInt64 = 0
            var count = 0
            var isShutDown = false
            var waiters: [Waiter<Void>] = []

            mutating func enter() -> Slot {
                last += 1
                count += 1
                let index = free.popLast() ?? calls.count
                if index == calls.count { calls.append(nil) }
                calls[index] = Call(number: last)
                return Slot(index: index, number: last)
            }

            /// Sets how a call is cancelled from now on; `false` if it is not in the table, or cancelled.
            mutating func setCanceller(_ canceller: Canceller, at slot: Slot) -> Bool {
                guard calls[slot.index]?.number == slot.number, calls[slot.index]?.isCancelled == false else {
                    return false
                }
                calls[slot.index]?.canceller = canceller
                return true
            }

            /// Removes a call, unless it was removed already; returns whether it was cancelled, and its canceller, to
            /// be released outside of locks.
            mutating func leave(_ slot: Slot) -> (isCancelled: Bool, canceller: Canceller?) {
                guard let call = calls[slot.index], call.number == slot.number else { return (false, nil) }
                calls[slot.index] = nil
                free.append(slot.index)
                count -= 1
                return (call.isCancelled, call.canceller)
            }

            /// Marks all calls as cancelled; returns how many were newly cancelled, and their cancellers.
            mutating func cancelAll() -> (count: Int, cancellers: [Canceller]) {
                var cancelled = (count: 0, cancellers: [Canceller]())
                for index in calls.indices where calls[index]?.isCancelled == false {
                    cancelled.count += 1
                    if let canceller = calls[index]?.canceller { cancelled.cancellers.append(canceller) }
                    calls[index]?.isCancelled = true
                }
                return cancelled
            }
        }

        private let state = Locked(State())

        /// Creates an empty group.
        public init() {}

        /// The number of calls in flight.
        public var callsInFlight: Int { state.withLock { $0.count } }

        /// Cancels the calls in flight, and returns their number; later calls run as usual.
        ///
        /// They end as cancelled, on the wire too: their observers get `onCanceled`, tasks that await them get a
        /// `CancellationError` without being cancelled themselves. A stream that is being read ends in the same way.
        @discardableResult
        public func cancelAll() -> Int {
            let cancelled = state.withLock { $0.cancelAll() }
            for canceller in cancelled.cancellers { canceller.cancel() }
            return cancelled.count
        }

        /// Waits until the calls in flight have ended, and rejects new ones; returns how many calls were cancelled.
        ///
        /// Later calls fail with `shutDown`, permanently. When the limit is reached, or the waiting task is cancelled,
        /// the remaining calls are cancelled and no longer waited for.
        @discardableResult
        public func shutdown(within limit: Duration, clock: CallClock = .continuous) async -> Int {
            let waiter = Waiter<Void>()
            let isEmpty = state.withLock { state in
                state.isShutDown = true
                if state.count > 0 { state.waiters.append(waiter) }
                return state.count == 0
            }
            guard !isEmpty else { return 0 }
            do {
                try await waiter.value(until: clock.time(after: limit), on: clock) { .failure(CancellationError()) }
                return 0
            } catch {
                return cancelAll()
            }
        }

        /// The slot of a new call; `nil` after a shutdown.
        func enter() -> Slot? { state.withLock { $0.isShutDown ? nil : $0.enter() } }

        /// Sets the task of the call; cancels it at once if the call was cancelled.
        func setCanceller(_ task: Task<TransportResponse, any Error>, at slot: Slot) {
            if !state.withLock({ $0.setCanceller(.task(task), at: slot) }) { task.cancel() }
        }

        /// Sets how the call is cancelled once its response is a stream; `false` if it has been cancelled.
        func setCanceller(at slot: Slot, _ cancel: @escaping @Sendable () -> Void) -> Bool {
            state.withLock { $0.setCanceller(.stream(cancel), at: slot) }
        }

        /// Removes a call; returns whether the group had cancelled it.
        @discardableResult
        func leave(_ slot: Slot) -> Bool {
            let (call, waiters) = state.withLock {
                state -> ((isCancelled: Bool, canceller: Canceller?), [Waiter<Void>]) in
                let call = state.leave(slot)
                guard state.count == 0, !state.waiters.isEmpty else { return (call, []) }
                defer { state.waiters = [] }
                return (call, state.waiters)
            }
            for waiter in waiters { waiter.resume(.success(())) }
            return call.isCancelled
        }
    }
}
