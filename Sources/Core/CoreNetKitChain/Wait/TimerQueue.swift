import CoreNetKitHTTP
import CoreNetKitSystem

/// Calls closures when their time has come: one task sleeps for all of them, and only while there are timers.
package final class TimerQueue: Sendable {
    /// Identifies a timer.
    package struct Ticket: Sendable {
        fileprivate let time: Duration
        fileprivate let number: Int
    }

    private struct Entry: Sendable {
        let ticket: Ticket
        /// The closure; `nil` once the timer is cancelled.
        var ring: (@Sendable () -> Void)?
    }

    private struct State: Sendable {
        /// Earliest first, equal times in the order of setting; cancelled ones remain for a while.
        var entries: [Entry] = []
        var cancelled = 0
        var lastNumber = 0
        var sleeper: Task<Void, Never>?
        /// When the sleeper wakes; `nil` if there is none.
        var wakeTime: Duration?
        /// Changes with the sleeper, so that an earlier sleeper does nothing.
        var shift = 0

        /// The index of a timer, or where it would be, by binary search.
        func place(of ticket: Ticket) -> Int {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                let other = entries[middle].ticket
                if (other.time, other.number) < (ticket.time, ticket.number) { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// - Returns: Whether the timer existed.
        mutating func cancel(_ ticket: Ticket) -> Bool {
            let place = place(of: ticket)
            guard place < entries.count, entries[place].ticket.number == ticket.number, entries[place].ring != nil
            else {
                return false
            }
            entries[place].ring = nil
            cancelled += 1
            // In batches: removing each one separately would move all later ones.
            if cancelled * 2 >= entries.count {
                entries.removeAll { $0.ring == nil }
                cancelled = 0
            }
            return true
        }

        /// Removes and returns the timers that are due.
        mutating func takeDue(_ now: Duration) -> [Entry] {
            let count = entries.firstIndex { $0.ring != nil && $0.ticket.time > now } ?? entries.count
            let due = entries.prefix(count).filter { $0.ring != nil }
            entries.removeFirst(count)
            cancelled -= count - due.count
            return due
        }

        mutating func dismiss() -> Task<Void, Never>? {
            shift += 1
            wakeTime = nil
            return sleeper.take()
        }
    }

    private let state = Locked(State())
    private let clock: CallClock

    package init(_ clock: CallClock) { self.clock = clock }

    /// Sets a timer, which calls its closure at a time, at once if it has passed; the closure must be quick.
    package func set(at time: Duration, _ ring: @escaping @Sendable () -> Void) -> Ticket {
        let (ticket, shift, former) = state.withLock { state -> (Ticket, Int?, Task<Void, Never>?) in
            state.lastNumber += 1
            let ticket = Ticket(time: time, number: state.lastNumber)
            state.entries.insert(Entry(ticket: ticket, ring: ring), at: state.place(of: ticket))
            if let wakeTime = state.wakeTime, wakeTime <= time { return (ticket, nil, nil) }
            let former = state.dismiss()
            state.wakeTime = time
            return (ticket, state.shift, former)
        }
        former?.cancel()
        if let shift { sleep(until: time, shift) }
        return ticket
    }

    /// Removes a timer; one that has fired is already removed.
    package func cancel(_ ticket: Ticket) {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            guard state.cancel(ticket) else { return nil }
            // With a real clock the sleeper is kept for the next timer, which is cheaper than waking it. A test clock
            // counts sleepers.
            return state.entries.isEmpty && !clock.isReal ? state.dismiss() : nil
        }
        sleeper?.cancel()
    }

    private func sleep(until time: Duration, _ shift: Int) {
        let task = Task.apart { [self] in
            var next: Duration? = time
            while let time = next {
                guard (try? await clock.sleep(until: time)) != nil else { return }
                next = ring(shift)
            }
        }
        let isOld = state.withLock { state in
            if state.shift == shift, state.wakeTime != nil { state.sleeper = task }
            return state.shift != shift
        }
        if isOld { task.cancel() }
    }

    /// Fires the timers that are due.
    ///
    /// - Returns: When to fire again; `nil` if there are no timers.
    private func ring(_ shift: Int) -> Duration? {
        let now = clock.now
        let (due, next) = state.withLock { state -> ([Entry], Duration?) in
            guard state.shift == shift else { return ([], nil) }
            let due = state.takeDue(now)
            state.wakeTime = state.entries.first?.ticket.time
            if state.wakeTime == nil { state.sleeper = nil }
            return (due, state.wakeTime)
        }
        for entry in due { entry.ring?() }
        return next
    }
}
