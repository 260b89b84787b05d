import CoreNetKitHTTP

/// The calls in flight.
///
/// Slots are reused, so that entering and leaving cost no look-up.
struct CallTable {
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

    private var calls: [Call?] = []
    private var free: [Int] = []
    private var last: UInt64 = 0
    private(set) var count = 0

    /// Adds a call.
    mutating func enter() -> Slot {
        last += 1
        count += 1
        let index = free.popLast() ?? calls.count
        if index == calls.count { calls.append(nil) }
        calls[index] = Call(number: last)
        return Slot(index: index, number: last)
    }

    /// Sets how a call is cancelled from now on.
    ///
    /// - Returns: Whether the call may continue: it is in the table and not cancelled.
    mutating func setCanceller(_ canceller: Canceller, at slot: Slot) -> Bool {
        guard calls[slot.index]?.number == slot.number, calls[slot.index]?.isCancelled == false else { return false }
        calls[slot.index]?.canceller = canceller
        return true
    }

    /// Removes a call; has no effect if it was removed already.
    ///
    /// - Returns: Whether it was cancelled, and its canceller, to be released outside of locks.
    mutating func leave(_ slot: Slot) -> (isCancelled: Bool, canceller: Canceller?) {
        guard let call = calls[slot.index], call.number == slot.number else { return (false, nil) }
        calls[slot.index] = nil
        free.append(slot.index)
        count -= 1
        return (call.isCancelled, call.canceller)
    }

    /// Marks all calls as cancelled.
    ///
    /// - Returns: How many were newly cancelled, and their cancellers.
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
