import CoreNetKitEssentials
import CoreNetKitSystem

extension OutboxEngine {
    enum Step: Sendable {
        case attempt(DeliveryAttempt)
        /// Nothing to do before a time, or before the wake signal.
        case idle(until: Duration?)
    }

    /// The next attempt, or when to call again.
    func next() -> Step {
        guard folderState.role == .delivering || claim() else { return .idle(until: pollTime) }
        guard runningAttempts.count < max(1, options.concurrency) else { return .idle(until: pollTime) }
        wakeQueues()
        endExpired()
        while let queue = schedule.next(at: time.monotonic()) {
            switch head(of: queue) {
            case .ready(let number):
                if let attempt = begin(number) { return .attempt(attempt) }
                schedule.wake(queue)
            case .later(let time): schedule.sleep(queue, until: time)
            case .blocked: break
            }
        }
        idle()
        return .idle(until: earliest(schedule.earliest, pollTime))
    }

    /// Wakes the queues that were signalled, or all of them.
    private func wakeQueues() {
        let pending = wakeSignal.takePending()
        for queue in pending.queues.elements { schedule.wake(queue) }
        if pending.isForAll { for queue in index.order { schedule.wake(queue) } }
    }

    /// Ends expired entries of all owners, whatever they wait for.
    private func endExpired() {
        while let entry = index.firstToExpire(), !syncing.undurable.contains(entry.number), expire(entry) {}
    }

    /// Ends an entry if it has expired; returns whether it did.
    private func expire(_ entry: IndexedEntry) -> Bool {
        // A handler runs it now.
        if entry.isJob, !jobs.isReady(entry.kind) { return false }
        guard entry.expiry(at: time) == .yes else { return false }
        append(LogRecord(kind: .expired, number: entry.number))
        report(.expired(entry.id))
        end(entry.number, .expired)
        wakeSignal.raise(for: entry.queue)
        return true
    }

    private var pollTime: Duration? {
        guard let interval = options.pollInterval, !folderState.isSuspended || folderState.role == .closed else {
            return nil
        }
        return time.monotonic() + interval
    }

    private func earliest(_ left: Duration?, _ right: Duration?) -> Duration? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Looks for entries of other processes, and tries to become the process that delivers.
    private func claim() -> Bool {
        guard !folderState.isSuspended else { return false }
        try? ready()
        if folderState.role == .enqueuing { try? takeOver() }
        return folderState.role == .delivering
    }

    private func idle() {
        _ = try? adoptInboxes()
        if syncing.marks > 0 { try? syncNow() }
        compactIfWorthwhile()
    }

    private enum QueueHead { case ready(UInt64), later(Duration), blocked }

    private func head(of queue: String) -> QueueHead {
        // One entry of a queue at a time, across all owners.
        guard !index.isSending(in: queue) else { return .blocked }
        while let (entry, followsDeadLetter) = index.first(in: queue, of: deliveryGate.isPresent) {
            if followsDeadLetter, options.afterFailure == .block { return .blocked }
            // The signal is raised when it is on disk.
            if syncing.undurable.contains(entry.number) { return .blocked }
            if entry.isJob, !jobs.isReady(entry.kind) { return .blocked }
            if expire(entry) { continue }
            return readiness(of: entry)
        }
        return .blocked
    }

    /// When the first entry of a queue may be sent.
    private func readiness(of entry: IndexedEntry) -> QueueHead {
        let now = time.monotonic()
        for length in [entry.expiry(at: time), entry.keyEnd(at: time)] {
            if case .unknown(let pause) = length { return .later(now + .milliseconds(pause)) }
        }
        // A change of either raises the signal.
        if deliveryGate.pause(of: entry) != nil || unmet(of: entry) != nil { return .blocked }
        let time = max(entry.history.notBefore, deliveryGate.notBefore(entry))
        return time > now ? .later(time) : .ready(entry.number)
    }
}
