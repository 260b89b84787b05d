import CoreNetKitHTTP

/// The calls in flight.
///
/// Slots are reused, so that entering and leaving cost no look-up.
struct CallTable {
    /// The slot of a call; no other call has an equal one, not even later.
    struct Place: Sendable {
        fileprivate let index: Int
        fileprivate let number: UInt64
    }

    /// How a call is cancelled.
    enum Member: Sendable {
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
        var member: Member?
        var isCancelled = false
    }

    private var calls: [Call?] = []
    private var free: [Int] = []
    private var last: UInt64 = 0
    private(set) var count = 0

    /// Adds a call.
    mutating func enter() -> Place {
        last += 1
        count += 1
        let index = free.popLast() ?? calls.count
        if index == calls.count { calls.append(nil) }
        calls[index] = Call(number: last)
        return Place(index: index, number: last)
    }

    /// Sets how a call is cancelled from now on.
    ///
    /// - Returns: Whether the call may continue: it is in the table and not cancelled.
    mutating func hold(_ member: Member, at place: Place) -> Bool {
        guard calls[place.index]?.number == place.number, calls[place.index]?.isCancelled == false else { return false }
        calls[place.index]?.member = member
        return true
    }

    /// Removes a call; has no effect if it was removed already.
    ///
    /// - Returns: Whether it was cancelled, and its member, to be released outside of locks.
    mutating func leave(_ place: Place) -> (isCancelled: Bool, member: Member?) {
        guard let call = calls[place.index], call.number == place.number else { return (false, nil) }
        calls[place.index] = nil
        free.append(place.index)
        count -= 1
        return (call.isCancelled, call.member)
    }

    /// Marks all calls as cancelled.
    ///
    /// - Returns: How many were newly cancelled, and their members.
    mutating func cancelAll() -> (count: Int, members: [Member]) {
        var cancelled = (count: 0, members: [Member]())
        for index in calls.indices where calls[index]?.isCancelled == false {
            cancelled.count += 1
            if let member = calls[index]?.member { cancelled.members.append(member) }
            calls[index]?.isCancelled = true
        }
        return cancelled
    }
}
