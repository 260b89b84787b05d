import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Dead letters, and the decisions about them.
extension OutboxEngine {
    /// Sends a dead letter's request with changes, as a new entry at the same position.
    ///
    /// One record says both that the new entry exists and that it replaces the old one.
    func revive(
        _ id: UUID,
        changing change: @Sendable (inout OutboxRequest) throws -> Void
    ) async throws -> OutboxReceipt {
        var (head, body) = try changed(id, change)
        let content = try await stage(body, for: &head)
        defer { if let file = content.file { files.close(file) } }
        do {
            let number = try replace(id, head, content.bytes)
            return try await receipt(of: number, head)
        } catch {
            if let blob = head.blob, (error as? OutboxError)?.code != .uncertain {
                try? files.remove(blobPath(blob.name))
            }
            throw error
        }
    }

    /// The head and the body of a dead letter's replacement.
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
        do throws(LogError) {
            let record = try record(number, head, body)
            try log.append([record])
            index.insert(number, head, count: record.encodedCount)
        } catch {
            throw OutboxError(error)
        }
        end(letter.number, .replaced(by: head.id))
        return number
    }
}
