import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP

extension OutboxEngine {
    /// Only the process that delivers may control entries.
    func controlled() throws(OutboxError) -> OutboxLog {
        try ready()
        guard folderState.role == .delivering, let log else {
            throw OutboxError(.deliveredElsewhere, "another process delivers this outbox, or it is suspended")
        }
        return log
    }

    /// Writes marks and returns when they are on disk.
    private func note(_ records: [LogRecord], in log: OutboxLog) throws(OutboxError) {
        do throws(LogError) {
            try log.append(records)
            try syncNow()
        } catch {
            throw OutboxError(error)
        }
    }

    // MARK: One entry

    func cancel(_ id: UUID) throws(OutboxError) -> Outbox.Cancellation {
        let log = try controlled()
        guard let entry = index[id] else { throw OutboxError(.notFound, "there is no such entry any more", id: id) }
        guard entry.state == .waiting, entry.history.firstSent == nil else { return .tooLate }
        try note([LogRecord(kind: .cancelled, number: entry.number)], in: log)
        end(entry.number, .cancelled)
        publish()
        wakeSignal.raise(for: entry.queue)
        return .cancelled
    }

    func revive(_ id: UUID) throws(OutboxError) {
        let log = try controlled()
        let entry = try deadLetter(id)
        // A manual retry starts over: earlier attempts do not count.
        let mark = EntryMark(attempts: 0)
        try note([LogRecord(kind: .revived, number: entry.number, payload: mark.payload)], in: log)
        index.update(entry.number) { entry in
            (entry.state, entry.history.attempts, entry.history.firstSent) = (.waiting, 0, nil)
            (entry.history.notBefore, entry.history.wait) = (.zero, nil)
        }
        publish()
        wakeSignal.raise(for: entry.queue)
    }

    func discard(_ id: UUID) throws(OutboxError) {
        let log = try controlled()
        let entry = try deadLetter(id)
        try note([LogRecord(kind: .cancelled, number: entry.number)], in: log)
        end(entry.number, .cancelled)
        publish()
        wakeSignal.raise(for: entry.queue)
    }

    func export(_ id: UUID) throws(OutboxError) -> OutboxRequest {
        let log = try controlled()
        let entry = try deadLetter(id)
        return OutboxRequest(try stored(entry.number, in: log).1)
    }

    func deadLetter(_ id: UUID) throws(OutboxError) -> IndexedEntry {
        guard let entry = index[id], entry.state.needsDecision else {
            throw OutboxError(.notFound, "there is no dead letter with this id", id: id)
        }
        return entry
    }

    // MARK: Owners

    /// Sets the session of the client's tokens.
    func set(_ new: Partition.Session) {
        guard deliveryGate.enter(new) else { return }
        publish()
        wakeSignal.raise()
    }

    func switchOwner(to new: String?, others: Outbox.OtherOwners) async throws(OutboxError) {
        let new = new.map(OwnerName.stored)
        deliveryGate.name(new)
        // Requests with another user's tokens must end before the tokens change.
        await end(inFlightWhere: { $0.owner != nil && $0.owner != new })
        if others == .remove { try await removeAll { $0 != new } }
        publish()
        wakeSignal.raise()
    }

    func removeAll(ofOwners areMeant: @Sendable (String) -> Bool) async throws(OutboxError) {
        func isMeant(_ entry: IndexedEntry) -> Bool { entry.owner.map(areMeant) ?? false }
        var log = try controlled()
        await end(inFlightWhere: isMeant)
        log = try controlled()
        // Entries that other processes have stored, or that are being stored, must not return.
        _ = try? adoptInboxes()
        callers.staging = callers.staging.filter { !areMeant($0.value) }
        let meant = index.entries.values.filter { isMeant($0) && $0.state != .sending }.map(\.number).sorted()
        guard !meant.isEmpty else { return }
        try note(meant.map { LogRecord(kind: .cancelled, number: $0) }, in: log)
        // Followers before their predecessors: otherwise they would become dead letters.
        for number in meant.reversed() { end(number, .cancelled) }
        // Removed entries must not remain in old records and files.
        try? compact()
        removeFinishedBlobs()
        publish()
        wakeSignal.raise()
    }

    /// Starts nothing more for an owner, and returns when none of their requests is in flight.
    func park(_ owner: String) async throws {
        deliveryGate.park(owner)
        publish()
        await end(inFlightWhere: { $0.owner == owner }, mayGiveUp: true)
        try Task.checkCancellation()
    }

    func unpark(_ owner: String) {
        deliveryGate.unpark(owner)
        publish()
        wakeSignal.raise()
    }

    private func end(inFlightWhere isMeant: (IndexedEntry) -> Bool, mayGiveUp: Bool = false) async {
        for (number, cancel) in runningAttempts.cancels {
            if let entry = index[number], isMeant(entry) { cancel() }
        }
        while runningAttempts.cancels.keys.contains(where: { number in index[number].map(isMeant) ?? false }) {
            if mayGiveUp, Task.isCancelled { return }
            await withTaskCancellationHandler {
                await withCheckedContinuation { runningAttempts.waiters.append($0) }
            } onCancel: {
                if mayGiveUp { Task { await wakeWaiters() } }
            }
        }
    }

    private func wakeWaiters() { runningAttempts.wakeWaiters() }

    // MARK: Pauses

    func suspend() async {
        folderState.isSuspended = true
        await end(inFlightWhere: { _ in true })
        releaseFolder()
        publish()
    }

    /// Called when its outbox was released: frees the folder for the next one.
    func close() {
        folderState.isSuspended = true
        releaseFolder()
        publish()
    }

    func resume() throws(OutboxError) {
        folderState.isSuspended = false
        deliveryGate.forgetAll()
        if folderState.role == .enqueuing { folderState.role = .closed }
        defer { wakeSignal.raise() }
        try ready()
    }

    /// Ends all waits for hosts: the network is back.
    func reconnected() {
        deliveryGate.forgetHosts()
        wakeSignal.raise()
    }

    func beginRunning() throws(OutboxError) {
        guard !runningAttempts.isRunning else {
            throw OutboxError(.alreadyRunning, "the outbox is being delivered already")
        }
        runningAttempts.isRunning = true
        deliveryGate.holding = nil
    }

    func endRunning() {
        runningAttempts.isRunning = false
        if syncing.marks > 0 { try? syncNow() }
        publish()
    }

    func handle(_ kind: String, _ handler: (@Sendable (OutboxDelivery) async -> Void)?) {
        callers.handlers[kind] = handler
    }

    func handler(of kind: String) -> (@Sendable (OutboxDelivery) async -> Void)? { callers.handlers[kind] }
}
