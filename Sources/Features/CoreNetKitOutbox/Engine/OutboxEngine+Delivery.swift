import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension OutboxEngine {
    enum Step: Sendable {
        case attempt(DeliveryAttempt)
        case idle(until: Duration?)
    }

    func next() -> Step {
        guard folderState.role == .delivering || claim() else { return .idle(until: pollTime) }
        guard runningAttempts.cancels.count < max(1, options.concurrency) else { return .idle(until: pollTime) }
        wakeQueues()
        endExpired()
        while let queue = schedule.next(at: time.monotonic()) {
            let now = time.monotonic()
            guard let entry = firstToSend(in: queue), let start = start(of: entry, at: now) else { continue }
            if start > now {
                schedule.sleep(queue, until: start)
            } else if let attempt = begin(entry.number) {
                return .attempt(attempt)
            } else {
                schedule.wake(queue)
            }
        }
        idle()
        return .idle(until: [schedule.earliest, pollTime].compactMap(\.self).min())
    }

    private func wakeQueues() {
        let (queues, isForAll) = wakeSignal.takePending()
        for queue in queues + (isForAll ? index.order : []) { schedule.wake(queue) }
    }

    /// Ends expired entries of all owners, whatever they wait for.
    private func endExpired() {
        while let entry = index.firstToExpire(), !syncing.unsynced.contains(entry.number), expire(entry) {}
    }

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

    /// Looks for entries of other processes, and tries to become the process that delivers.
    private func claim() -> Bool {
        guard !folderState.isSuspended else { return false }
        try? requireReady()
        if folderState.role == .enqueuing { try? takeOver() }
        return folderState.role == .delivering
    }

    private func idle() {
        _ = try? adoptInboxes()
        if syncing.marks > 0 { try? syncNow() }
        compactIfWorthwhile()
    }

    private func firstToSend(in queue: String) -> IndexedEntry? {
        // One entry of a queue at a time, across all owners.
        guard !index.isSending(in: queue) else { return nil }
        while let (entry, followsDeadLetter) = index.first(in: queue, of: deliveryGate.isPresent) {
            if followsDeadLetter, options.afterFailure == .block { return nil }
            // The signal is raised when it is on disk.
            if syncing.unsynced.contains(entry.number) { return nil }
            if entry.isJob, !jobs.isReady(entry.kind) { return nil }
            if !expire(entry) { return entry }
        }
        return nil
    }

    /// When an entry may be sent, or is to be looked at again; `nil` if a signal comes first.
    private func start(of entry: IndexedEntry, at now: Duration) -> Duration? {
        for length in [entry.expiry(at: time), entry.keyEnd(at: time)] {
            if case .unknown(let pause) = length { return now + .milliseconds(pause) }
        }
        // A change of either raises the signal.
        guard deliveryGate.pause(of: entry) == nil, unmet(of: entry) == nil else { return nil }
        return max(entry.history.notBefore, deliveryGate.notBefore(entry))
    }

    // MARK: Ends

    func fail(_ number: UInt64, _ state: OutboxEntry.State, _ status: Int? = nil) {
        guard let entry = index[number] else { return }
        index.update(number) { entry in
            entry.state = state
            entry.history.lastStatus = status ?? entry.history.lastStatus
            entry.history.wait = nil
        }
        if let record = index[number]?.marks.first { append(record) }
        switch state {
        case .dead(let text): report(.dead(entry.id, text))
        case .inDoubt(let text): report(.inDoubt(entry.id, text))
        default: break
        }
        changed(number)
        callers.receipts.removeValue(forKey: entry.id)?.end(state, nil)
    }

    /// Ends an entry for good; the caller writes the record.
    func end(_ number: UInt64, _ state: OutboxEntry.State, _ response: TransportResponse? = nil) {
        guard let entry = index[number] else { return }
        let followers = index.dependencies.followers(of: entry)
        index.update(number) { $0.state = state }
        if let blob = entry.blob { syncing.finishedBlobs.append(blob.name) }
        let delivery = response.map { OutboxDelivery(entry: entry.summary, state: state, response: $0) }
        callers.receipts.removeValue(forKey: entry.id)?.end(state, delivery)
        release(followers, of: state)
    }

    /// Writes a mark whose loss would only cause a harmless repetition.
    func append(_ record: LogRecord) {
        guard let log else { return }
        do throws(OutboxError) {
            try log.append([record])
            syncing.marks += 1
        } catch {
            report(.storage("\(error)"))
        }
    }

    func report(_ report: OutboxReport) {
        published.reports = Array(published.reports.suffix(99)) + [report]
        published.totals.reports += 1
    }

    func changed(_ number: UInt64) {
        guard let entry = index[number] else { return }
        callers.receipts[entry.id]?.set(entry.state)
    }

    // MARK: Compaction

    func compactIfWorthwhile() {
        guard let log, log.totalCount > max(2 * index.keptBytes, 0) + log.segmentLimit else { return }
        try? compact()
    }

    func compact() throws(OutboxError) {
        guard let log else { return }
        let live = index.entries.values.sorted { $0.number < $1.number }.map { ($0.number, $0.marks) }
        do throws(OutboxError) { try log.compact(keeping: live) } catch {
            report(.storage("\(error)"))
            throw error
        }
        published.totals.compactions += 1
    }
}
