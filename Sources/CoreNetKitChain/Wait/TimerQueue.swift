import CoreNetKitHTTP
import CoreNetKitSystem

/// Tells callers when a time has come: one task sleeps for all of them, and only while somebody waits.
package final class TimerQueue: Sendable {
    /// Names a time that was set.
    package struct Ticket: Sendable {
        fileprivate let time: Duration
        fileprivate let number: Int
    }

    private struct Entry: Sendable {
        let ticket: Ticket
        let ring: @Sendable () -> Void
    }

    private struct State: Sendable {
        /// The earliest first.
        var entries: [Entry] = []
        var lastNumber = 0
        var sleeper: Task<Void, Never>?
        /// When the sleeper wakes; `nil` when nobody sleeps.
        var wakeTime: Duration?
        /// Changes with the sleeper, so that an earlier one does nothing.
        var shift = 0

        mutating func dismiss() -> Task<Void, Never>? {
            shift += 1
            wakeTime = nil
            return sleeper.take()
        }
    }

    private let state = Locked(State())
    private let clock: CallClock

    package init(_ clock: CallClock) { self.clock = clock }

    /// Rings at a time, a past one at once, unless it is cancelled before; what it calls must be quick.
    package func set(at time: Duration, _ ring: @escaping @Sendable () -> Void) -> Ticket {
        let (ticket, shift, former) = state.withLock { state -> (Ticket, Int?, Task<Void, Never>?) in
            state.lastNumber += 1
            let ticket = Ticket(time: time, number: state.lastNumber)
            // Times come nearly in order: the place is near the end.
            let place = state.entries.lastIndex { $0.ticket.time <= time }.map { $0 + 1 } ?? 0
            state.entries.insert(Entry(ticket: ticket, ring: ring), at: place)
            if let wakeTime = state.wakeTime, wakeTime <= time { return (ticket, nil, nil) }
            let former = state.dismiss()
            state.wakeTime = time
            return (ticket, state.shift, former)
        }
        former?.cancel()
        if let shift { sleep(until: time, shift) }
        return ticket
    }

    /// Forgets a time; one that has come is forgotten already.
    package func cancel(_ ticket: Ticket) {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            guard let place = state.entries.firstIndex(where: { $0.ticket.number == ticket.number }) else { return nil }
            state.entries.remove(at: place)
            // By a real clock the sleeper is kept for the next call: to wake it costs more than the call saves. By a
            // test's clock everybody sees who sleeps.
            return state.entries.isEmpty && !clock.isReal ? state.dismiss() : nil
        }
        sleeper?.cancel()
    }

    private func sleep(until time: Duration, _ shift: Int) {
        let task = Task.here { [self] in
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

    /// Tells those whose time has come.
    ///
    /// - Returns: When to do so again.
    private func ring(_ shift: Int) -> Duration? {
        let now = clock.now
        let (due, next) = state.withLock { state -> ([Entry], Duration?) in
            guard state.shift == shift else { return ([], nil) }
            let count = state.entries.firstIndex { $0.ticket.time > now } ?? state.entries.count
            let due = Array(state.entries.prefix(count))
            state.entries.removeFirst(count)
            state.wakeTime = state.entries.first?.ticket.time
            if state.wakeTime == nil { state.sleeper = nil }
            return (due, state.wakeTime)
        }
        for entry in due { entry.ring() }
        return next
    }
}
