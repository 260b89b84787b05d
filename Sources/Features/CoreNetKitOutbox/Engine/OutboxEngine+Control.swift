import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension OutboxEngine {
    /// Only the process that delivers may control entries.
    func controlled() throws(OutboxError) -> OutboxLog {
        try requireReady()
        guard folderState.role == .delivering, let log else {
            throw OutboxError(.deliveredElsewhere, "another process delivers this outbox, or it is suspended")
        }
        return log
    }

    private func note(_ records: [LogRecord], in log: OutboxLog) throws(OutboxError) {
        try log.append(records)
        try syncNow()
    }

    private func announce(_ queue: String? = nil) {
        publish()
        if let queue { wakeSignal.raise(for: queue) } else { wakeSignal.raise() }
    }

    // MARK: One entry

    func cancel(_ id: UUID) throws(OutboxError) -> Outbox.Cancellation {
        let log = try controlled()
        guard let entry = index[id] else { throw OutboxError(.notFound, "there is no such entry any more", id: id) }
        guard entry.state == .waiting, entry.history.firstSent == nil else { return .tooLate }
        try note([LogRecord(kind: .cancelled, number: entry.number)], in: log)
        end(entry.number, .cancelled)
        announce(entry.queue)
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
        announce(entry.queue)
    }

    func discard(_ id: UUID) throws(OutboxError) {
        let log = try controlled()
        let entry = try deadLetter(id)
        try note([LogRecord(kind: .cancelled, number: entry.number)], in: log)
        end(entry.number, .cancelled)
        announce(entry.queue)
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

    func set(_ new: Partition.Session) {
        guard deliveryGate.enter(new) else { return }
        announce()
    }

    func switchOwner(to new: String?, others: Outbox.OtherOwners) async throws(OutboxError) {
        let new = new.map(Partition.ownerName(stored:))
        deliveryGate.name(new)
        // Requests with another user's tokens must end before the tokens change.
        await end(inFlightWhere: { $0.owner != nil && $0.owner != new })
        if others == .remove { try await removeAll { $0 != new } }
        announce()
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
        announce()
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
        announce()
    }

    private func end(inFlightWhere isMeant: (IndexedEntry) -> Bool, mayGiveUp: Bool = false) async {
        for (number, cancel) in runningAttempts.cancels {
            if let entry = index[number], isMeant(entry) { cancel() }
        }
        while runningAttempts.cancels.keys.contains(where: { number in index[number].map(isMeant) ?? false }) {
            if mayGiveUp, Task.isCancelled { return }
            let waiter = Waiter<Void>()
            runningAttempts.waiters.append(waiter)
            _ = mayGiveUp ? try? await waiter.value() : try? await waiter.result()
        }
    }

    // MARK: Pauses

    func suspend() async {
        folderState.isSuspended = true
        await end(inFlightWhere: { _ in true })
        close()
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
        try requireReady()
    }

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

extension OutboxEngine {
    /// Sends a dead letter's request with changes: one record says that the new entry exists and replaces the old one.
    func revive(
        _ id: UUID,
        changing change: @Sendable (inout OutboxRequest) throws -> Void
    ) async throws -> OutboxReceipt {
        var (head, body) = try changed(id, change)
        let content = try await stage(body, for: &head)
        defer { if let file = content.file { files.close(file) } }
        do {
            let number = try replace(id, head, content.bytes)
            return try await durableReceipt(of: number, head)
        } catch {
            discardBlob(of: head, after: error)
            throw error
        }
    }

    private func changed(
        _ id: UUID,
        _ change: @Sendable (inout OutboxRequest) throws -> Void
    ) throws -> (EntryHead, RequestBody) {
        let log = try controlled()
        let letter = try deadLetter(id)
        guard !letter.isJob else {
            throw OutboxError(.invalidOption, "a job has no request that could be changed", id: id)
        }
        let (old, stored) = try stored(letter.number, in: log)
        var request = OutboxRequest(stored)
        // A server associates the key with the old request.
        request.headers.remove("Idempotency-Key")
        try change(&request)
        var settings = EnqueueOptions()
        (settings.queue, settings.kind, settings.repetition) = (old.queue, old.kind, old.repetition)
        var head = try settings.head(for: request.transportRequest, made: old.made, revision: options.revision)
        (head.expires, head.owner, head.expects) = (old.expires, old.owner, old.expects)
        (head.position, head.replaces) = (letter.position, id)
        // The predecessor is irrelevant now: the entry was sent, or its fate was decided.
        head.conditions = old.conditions.filter { $0.predecessor == nil }
        return (head, request.body)
    }

    private func replace(_ id: UUID, _ head: EntryHead, _ body: [UInt8]) throws(OutboxError) -> UInt64 {
        let log = try controlled()
        // The dead letter may have been decided otherwise while the body was being stored.
        let letter = try deadLetter(id)
        let number = log.highestNumber + 1
        var head = head
        head.replacedIDs = index.dependencies.names(of: letter)
        let record = try record(number, head, body)
        try log.append([record])
        index.insert(number, head, byteCount: record.encodedCount)
        end(letter.number, .replaced(by: head.id))
        return number
    }
}
