import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

extension OutboxEngine {
    /// Stores an entry; if this throws, it may still be sent only with the code `uncertain`.
    ///
    /// In a chain, an entry without an owner gets only an owner named by the app, not the tokens' owner.
    func enqueue(_ head: EntryHead, _ body: RequestBody, ignoresTokenOwner: Bool) async throws -> OutboxReceipt {
        try requireReady()
        var head = head
        if head.owner == nil { head.owner = ignoresTokenOwner ? deliveryGate.namedOwner : deliveryGate.owner }
        try refuseIfFull(head, body)
        if let owner = head.owner { callers.staging[head.id] = owner }
        defer { callers.staging[head.id] = nil }
        let content = try await stage(body, for: &head)
        // Reading a stream takes time; meanwhile the folder may have been released.
        try requireReady()
        defer { if let file = content.file { files.close(file) } }
        do {
            if head.owner != nil, callers.staging[head.id] == nil {
                throw OutboxError(.notDelivered, "its owner's entries were removed while it was being stored")
            }
            return try await store(head, content.bytes)
        } catch {
            discardBlob(of: head, after: error)
            throw error
        }
    }

    func store(_ head: EntryHead, _ body: [UInt8]) async throws -> OutboxReceipt {
        var head = head
        try check(&head)
        guard folderState.role == .delivering, let log else { return try storeInInbox(head, body) }
        // Jobs are few, and one may be an opt-out: never refused.
        let number = try admit(head, body, to: log, enforcesLimits: !head.isJob)
        return try await durableReceipt(of: number, head)
    }

    /// The receipt of an entry that was written; returns when it is on disk.
    func durableReceipt(of number: UInt64, _ head: EntryHead) async throws -> OutboxReceipt {
        let receipt = ReceiptState(id: head.id)
        callers.receipts[head.id] = receipt
        syncing.unsynced.insert(number)
        // If the sync fails, the entry still exists in memory and in the file, and the error carries its id.
        defer {
            syncing.unsynced.remove(number)
            publish()
            wakeSignal.raise(for: head.queue)
        }
        do { try await waitForSync() } catch let error as OutboxError { throw error.of(head.id) }
        return OutboxReceipt(head: head, state: receipt)
    }

    func admit(
        _ head: EntryHead,
        _ body: [UInt8],
        to log: OutboxLog,
        enforcesLimits: Bool
    ) throws(OutboxError) -> UInt64 {
        var head = head
        let number = log.highestNumber + 1
        let replaced = replaceable(by: head)
        if let replaced {
            (head.position, head.replaces) = (replaced.position, replaced.id)
            head.replacedIDs = index.dependencies.names(of: replaced)
        }
        let record = try record(number, head, body)
        let dropped = enforcesLimits ? try entriesToDrop(for: record.encodedCount, head, replacing: replaced) : []
        try log.append([record] + dropped.map { LogRecord(kind: .dropped, number: $0) })
        index.insert(number, head, byteCount: record.encodedCount)
        if let replaced { end(replaced.number, .replaced(by: head.id)) }
        for number in dropped {
            if let entry = index[number] { report(.dropped(entry.id)) }
            end(number, .dropped)
        }
        return number
    }

    func record(_ number: UInt64, _ head: EntryHead, _ body: [UInt8]) throws(OutboxError) -> LogRecord {
        var head = head
        head.hasBody = !body.isEmpty || head.hasBody
        let payload: [UInt8]
        do { payload = try head.encoded(body: body) } catch {
            throw OutboxError(.tooLarge, "the request cannot be written: \(error)")
        }
        guard payload.count <= LogRecord.longestPayload else {
            throw OutboxError(.tooLarge, "the request without its body is longer than 1 MiB")
        }
        return LogRecord(kind: .entry, number: number, payload: payload)
    }

    /// The entries to discard so that a new one fits; throws `full` before anything is written.
    private func entriesToDrop(
        for byteCount: Int,
        _ head: EntryHead,
        replacing replaced: IndexedEntry?
    ) throws(OutboxError) -> [UInt64] {
        let limits = options.limits
        // Limits are per owner: the entries of an absent owner do not count.
        let usage = index.usage[head.owner] ?? EntryIndex.Usage()
        var entries = usage.entries + 1 - (replaced == nil ? 0 : 1)
        var bytes = usage.bytes + byteCount - (replaced?.byteCount ?? 0)
        var blobs = usage.blobBytes + (head.blob?.byteCount ?? 0) - (replaced?.blob?.byteCount ?? 0)
        let fits = { entries <= limits.entries && bytes <= limits.bytes && blobs <= limits.blobBytes }
        if fits() { return [] }
        let text = "the owner has \(usage.entries) entries of \(usage.bytes) bytes, files of \(usage.blobBytes) bytes"
        guard options.overflow == .dropOldest else { throw OutboxError(.full, text) }
        var dropped: [UInt64] = []
        for number in index.waiting(in: head.queue, of: head.owner) where !fits() {
            guard let entry = index[number], entry.state == .waiting,
                entry.history.firstSent == nil, number != replaced?.number
            else { continue }
            dropped.append(number)
            entries -= 1
            bytes -= entry.byteCount
            blobs -= entry.blob?.byteCount ?? 0
        }
        guard fits() else { throw OutboxError(.full, text) }
        return dropped
    }

    /// Refuses a body for a separate file before any of it is written, if there is no room.
    private func refuseIfFull(_ head: EntryHead, _ body: RequestBody) throws(OutboxError) {
        guard folderState.role == .delivering, options.overflow == .refuse, head.mergeKey == nil, !body.isEmpty else {
            return
        }
        let limits = options.limits
        let count = if case .bytes(let data) = body.content { data.count } else { 0 }
        let isBlob = count > limits.longestInlineBody
        let usage = index.usage[head.owner] ?? EntryIndex.Usage()
        guard usage.entries >= limits.entries || (isBlob && usage.blobBytes + count > limits.blobBytes) else { return }
        let code: OutboxError.Code = isBlob && count > limits.blobBytes ? .tooLarge : .full
        throw OutboxError(code, "the owner has \(usage.entries) entries and files of \(usage.blobBytes) bytes")
    }

    // MARK: Syncing

    /// Returns when everything written is on disk; concurrent callers share one sync.
    func waitForSync() async throws {
        guard options.durability != .written else { return }
        try await withCheckedThrowingContinuation { continuation in
            syncing.waiters.append(continuation)
            // In a task of its own, so that callers about to write share this sync.
            if syncing.waiters.count == 1 { Task { flush() } }
        }
    }

    func flush() {
        let waiters = syncing.waiters
        syncing.waiters = []
        do throws(OutboxError) {
            try syncNow()
            for waiter in waiters { waiter.resume() }
        } catch {
            for waiter in waiters { waiter.resume(throwing: error) }
        }
    }

    func syncNow() throws(OutboxError) {
        guard let log else { throw OutboxError(.notReady, "the outbox was released while it was being written") }
        do throws(OutboxError) { try log.sync() } catch {
            if error.code == .notReady { abandon(error.message) } else { report(.storage("\(error)")) }
            throw error
        }
        syncing.marks = 0
        removeFinishedBlobs()
    }

    /// Gives up a folder that is gone, with everything stored in it.
    private func abandon(_ text: String) {
        report(.storage(text))
        for entry in index.entries.values {
            callers.receipts[entry.id]?.fail(OutboxError(.notReady, text, id: entry.id))
        }
        callers.receipts = [:]
        releaseFolder()
        published.problem = text
        publish()
    }
}
