import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP

extension OutboxEngine {
    /// Every control is the business of the process that delivers.
    func controlled() throws(OutboxError) -> OutboxLog {
        try ready()
        guard role == .delivering, let log else {
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
        guard let entry = box[id] else { throw OutboxError(.notFound, "there is no such entry any more", id: id) }
        guard entry.state == .waiting, entry.firstSent == nil else { return .tooLate }
        try note([LogRecord(kind: .cancelled, number: entry.number)], in: log)
        end(entry.number, .cancelled)
        publish()
        bell.ring(for: entry.queue)
        return .cancelled
    }

    func revive(_ id: UUID) throws(OutboxError) {
        let log = try controlled()
        let entry = try deadLetter(id)
        // Whoever revives it has looked: the past does not count against it.
        let mark = EntryMark(attempts: 0)
        try note([LogRecord(kind: .revived, number: entry.number, payload: mark.payload)], in: log)
        box.update(entry.number) { entry in
            (entry.state, entry.attempts, entry.firstSent) = (.waiting, 0, nil)
            (entry.notBefore, entry.wait) = (.zero, nil)
        }
        publish()
        bell.ring(for: entry.queue)
    }

    func discard(_ id: UUID) throws(OutboxError) {
        let log = try controlled()
        let entry = try deadLetter(id)
        try note([LogRecord(kind: .cancelled, number: entry.number)], in: log)
        end(entry.number, .cancelled)
        publish()
        bell.ring(for: entry.queue)
    }

    func export(_ id: UUID) throws(OutboxError) -> OutboxRequest {
        let log = try controlled()
        let entry = try deadLetter(id)
        let (_, request) = try stored(entry.number, in: log)
        return OutboxRequest(method: request.method, url: request.url, headers: request.headers, body: request.body)
    }

    func deadLetter(_ id: UUID) throws(OutboxError) -> BoxEntry {
        guard let entry = box[id], entry.state.isForSomebodyToDecide else {
            throw OutboxError(.notFound, "there is no dead letter with this id", id: id)
        }
        return entry
    }

    // MARK: Owners

    /// The client's tokens are of this session by now: what its user's last credential was refused for is tried again.
    func set(_ new: Partition.Session) {
        let newOwner = new.partition.ownerName ?? namedOwner
        let isOther = owner != newOwner
        guard isOther || session?.hasSameCredential(as: new) != true else { return }
        (owner, session) = (newOwner, new)
        guard endPauses(of: newOwner) || isOther else { return }
        publish()
        bell.ring()
    }

    @discardableResult
    private func endPauses(of owner: String?) -> Bool {
        let count = paused.count
        paused = paused.filter { $0.key.owner != owner }
        return paused.count < count
    }

    func switchOwner(to new: String?, others: Outbox.OtherOwners) async throws(OutboxError) {
        let new = new.map(OwnerName.stored)
        (owner, namedOwner) = (new, new)
        endPauses(of: new)
        // What is on its way with the tokens of somebody else must be over before the tokens change.
        await end(inFlightWhere: { $0.owner != nil && $0.owner != new })
        if others == .remove { try await removeAll { $0 != new } }
        publish()
        bell.ring()
    }

    func removeAll(ofOwners areMeant: @Sendable (String) -> Bool) async throws(OutboxError) {
        func isMeant(_ entry: BoxEntry) -> Bool { entry.owner.map(areMeant) ?? false }
        var log = try controlled()
        await end(inFlightWhere: isMeant)
        log = try controlled()
        // What others have stored, or are about to store, must not bring them back.
        _ = try? adoptInboxes()
        staging = staging.filter { !areMeant($0.value) }
        let meant = box.entries.values.filter { isMeant($0) && $0.state != .sending }.map(\.number).sorted()
        guard !meant.isEmpty else { return }
        try note(meant.map { LogRecord(kind: .cancelled, number: $0) }, in: log)
        // Those that follow go before those that they follow, which would leave them for somebody to decide.
        for number in meant.reversed() { end(number, .cancelled) }
        // What was taken back is not kept in old records and files either.
        try? compact()
        removeFinishedBlobs()
        publish()
        bell.ring()
    }

    /// Begins nothing of an owner any more, and returns when nothing of theirs is on its way.
    func park(_ owner: String) async throws {
        parked.insert(owner)
        publish()
        await end(inFlightWhere: { $0.owner == owner }, mayGiveUp: true)
        try Task.checkCancellation()
    }

    func unpark(_ owner: String) {
        parked.remove(owner)
        // Whoever signs in by this name has another token.
        endPauses(of: owner)
        publish()
        bell.ring()
    }

    private func end(inFlightWhere isMeant: (BoxEntry) -> Bool, mayGiveUp: Bool = false) async {
        for (number, cancel) in inFlight {
            if let entry = box[number], isMeant(entry) { cancel() }
        }
        while inFlight.keys.contains(where: { number in box[number].map(isMeant) ?? false }) {
            if mayGiveUp, Task.isCancelled { return }
            await withTaskCancellationHandler {
                await withCheckedContinuation { inFlightWaiters.append($0) }
            } onCancel: {
                if mayGiveUp { Task { await wakeInFlightWaiters() } }
            }
        }
    }

    /// Each of them looks whether it has anything to wait for.
    private func wakeInFlightWaiters() {
        for waiter in inFlightWaiters { waiter.resume() }
        inFlightWaiters = []
    }

    // MARK: Pauses

    func suspend() async {
        isSuspended = true
        await end(inFlightWhere: { _ in true })
        letGo()
        publish()
    }

    /// Its outbox is no more: the folder is free for the next one.
    func close() {
        isSuspended = true
        letGo()
        publish()
    }

    func resume() throws(OutboxError) {
        isSuspended = false
        paused = [:]
        hosts = [:]
        if role == .enqueuing { role = .closed }
        defer { bell.ring() }
        try ready()
    }

    /// Something says that the network is back: nobody waits for a host any longer.
    func reconnected() {
        hosts = [:]
        bell.ring()
    }

    func beginRunning() throws(OutboxError) {
        guard !isRunning else { throw OutboxError(.alreadyRunning, "the outbox is being delivered already") }
        isRunning = true
        holding = nil
    }

    func endRunning() {
        isRunning = false
        if unsyncedMarks > 0 { try? syncNow() }
        publish()
    }

    func handle(_ kind: String, _ handler: (@Sendable (OutboxDelivery) async -> Void)?) { handlers[kind] = handler }

    func handler(of kind: String) -> (@Sendable (OutboxDelivery) async -> Void)? { handlers[kind] }
}
