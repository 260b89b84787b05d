import CoreNetKitSystem

/// Calls closures when their time has come: one task sleeps for all of them, and only while there are timers.
package final class TimerQueue: Sendable {
    package struct TimerID: Sendable {
        fileprivate let time: Duration
        fileprivate let number: Int
    }

    /// The closure is `nil` once the timer is cancelled.
    private typealias Entry = (id: TimerID, action: (@Sendable () -> Void)?)

    private struct State: Sendable {
        /// Earliest first, equal times in the order of setting; cancelled ones remain for a while.
        var entries: [Entry] = []
        var cancelled = 0
        var lastNumber = 0
        var sleeper: Task<Void, Never>?
        /// When the sleeper wakes; `nil` if there is none.
        var wakeTime: Duration?
        /// Changes with the sleeper, so that an earlier sleeper does nothing.
        var generation = 0

        /// The index of a timer, or where it would be.
        func index(of id: TimerID) -> Int {
            entries.sortedIndex { ($0.id.time, $0.id.number) < (id.time, id.number) }
        }

        /// - Returns: Whether the timer existed.
        mutating func cancel(_ id: TimerID) -> Bool {
            let index = index(of: id)
            guard index < entries.count, entries[index].id.number == id.number, entries[index].action != nil
            else { return false }
            entries[index].action = nil
            cancelled += 1
            // In batches: removing each one separately would move all later ones.
            if cancelled * 2 >= entries.count {
                entries.removeAll { $0.action == nil }
                cancelled = 0
            }
            return true
        }

        /// Removes and returns the timers that are due.
        mutating func takeDue(_ now: Duration) -> [Entry] {
            let count = entries.firstIndex { $0.action != nil && $0.id.time > now } ?? entries.count
            let due = entries.prefix(count).filter { $0.action != nil }
            entries.removeFirst(count)
            cancelled -= count - due.count
            return due
        }

        mutating func stopSleeper() -> Task<Void, Never>? {
            generation += 1
            wakeTime = nil
            return sleeper.take()
        }
    }

    private let state = Locked(State())
    private let clock: CallClock

    package init(_ clock: CallClock) { self.clock = clock }

    /// Sets a timer, which calls its closure at a time, at once if it has passed; the closure must be quick.
    package func set(at time: Duration, _ action: @escaping @Sendable () -> Void) -> TimerID {
        let (id, generation, former) = state.withLock { state -> (TimerID, Int?, Task<Void, Never>?) in
            state.lastNumber += 1
            let id = TimerID(time: time, number: state.lastNumber)
            state.entries.insert((id, action), at: state.index(of: id))
            if let wakeTime = state.wakeTime, wakeTime <= time { return (id, nil, nil) }
            let former = state.stopSleeper()
            state.wakeTime = time
            return (id, state.generation, former)
        }
        former?.cancel()
        if let generation { sleep(until: time, generation) }
        return id
    }

    /// Removes a timer; one that has fired is already removed.
    package func cancel(_ id: TimerID) {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            guard state.cancel(id) else { return nil }
            // With a real clock the sleeper is kept for the next timer, which is cheaper than waking it. A test clock
            // counts sleepers.
            return state.entries.isEmpty && !clock.isReal ? state.stopSleeper() : nil
        }
        sleeper?.cancel()
    }

    private func sleep(until time: Duration, _ generation: Int) {
        let task = Task.apart { [self] in
            var next: Duration? = time
            while let time = next {
                guard (try? await clock.sleep(until: time)) != nil else { return }
                next = fireDue(generation)
            }
        }
        let isOld = state.withLock { state in
            if state.generation == generation, state.wakeTime != nil { state.sleeper = task }
            return state.generation != generation
        }
        if isOld { task.cancel() }
    }

    /// Fires the timers that are due; returns when to fire again, `nil` if there are no timers.
    private func fireDue(_ generation: Int) -> Duration? {
        let now = clock.now
        let (due, next) = state.withLock { state -> ([Entry], Duration?) in
            guard state.generation == generation else { return ([], nil) }
            let due = state.takeDue(now)
            state.wakeTime = state.entries.first?.id.time
            if state.wakeTime == nil { state.sleeper = nil }
            return (due, state.wakeTime)
        }
        for entry in due { entry.action?() }
        return next
    }
}
