import CoreNetKit
package import CoreNetKitOutbox

/// Takes a change from storage to confirmation: stores it, schedules it in the outbox, sends it, and stores the
/// confirmation.
///
/// The record is read from the store at each step (`SharedRecord`), so that instances and processes see each other's
/// changes. All instances with one record in a process send one at a time (`RecordQueue`). The service decides what a request
/// is and how it is delivered. With an outbox, a record with anything to send is a job there (`PushJob`). Requests are
/// made from the record alone.
package final class PushRegistrar<Record: PushRecord>: Sendable {
    package typealias Part = Record.Part
    package typealias Change = PendingChange<Record>

    private let shared: SharedRecord<Record>
    private let job: PushJob<Record>?
    private let request: @Sendable (Record, Part) throws -> Record.Request?
    private let deliver: @Sendable (Record.Request) async throws -> Record.Reply

    /// Creates a registrar.
    ///
    /// - Parameters:
    ///   - store: Where the record is kept.
    ///   - key: The name of the record; registrars with the same name send one at a time.
    ///   - load: Reads the record.
    ///   - save: Writes the record; a service may store further data with it.
    ///   - outbox: Keeps a job for the record until nothing is pending; `nil` leaves that to ``flush(_:)``.
    ///   - request: The next request of a part, `nil` if there is none; throws if it must not be sent now.
    ///   - deliver: Sends a request, and returns the server's reply.
    package init(
        store: any KeyValueStore,
        key: String,
        load: @escaping @Sendable (any KeyValueStore) throws -> Record,
        save: @escaping @Sendable (_ new: Record, _ old: Record, any KeyValueStore) throws -> Void,
        outbox: Outbox? = nil,
        request: @escaping @Sendable (Record, Part) throws -> Record.Request?,
        deliver: @escaping @Sendable (Record.Request) async throws -> Record.Reply
    ) {
        let shared = SharedRecord(store, key, load: load, save: save)
        self.shared = shared
        self.request = request
        self.deliver = deliver
        job = outbox.map { outbox in
            PushJob(key, in: outbox) {
                let record = try shared.record()
                return record.pendingParts.contains { part in ((try? request(record, part)) ?? nil) != nil }
            }
        }
    }

    /// Assigns the work of the record's job in the outbox; `nil` sends everything that is pending.
    package func serve(_ turn: (@Sendable () async throws -> Void)? = nil) {
        job?.serve(isDue: { [weak self] in try self?.job?.isDue() }) { [weak self] in
            guard let self else { return nil }
            guard let turn else { return await self.sendAll { _ in true } }
            do {
                try await turn()
                return []
            } catch {
                return [error]
            }
        }
    }

    /// Reads the record from the store.
    package func record() throws -> Record { try shared.record() }

    /// Changes the record; if the change cannot be stored, nothing changes.
    @discardableResult
    package func change(_ body: (inout Record) throws -> Void) throws -> Record { try shared.change(body) }

    /// Changes the record; a change that cannot be stored now is applied before anything else is read or changed, so that
    /// changes keep their order.
    ///
    /// - Parameter body: The change; it must be idempotent.
    /// - Throws: ``PushStoreError``; the change is still applied if the process runs long enough.
    package func changeEventually(_ body: @escaping @Sendable (inout Record) -> Void) throws {
        try shared.changeEventually(body)
    }

    /// Stores a change of a part; it is durable when this returns.
    package func storeChange(_ part: Part, _ body: (inout Record) throws -> Void) throws -> Change {
        try shared.storeChange(part, body)
    }

    /// Sends a part's pending requests, unless another caller's request already included the change.
    ///
    /// A request that stops notifications goes first.
    /// - Parameters:
    ///   - change: The change to wait for.
    ///   - check: Checks the record before it is sent.
    /// - Returns: The last reply, `nil` if there was nothing to send, and the record after it.
    /// - Throws: The error of a request, or ``PushStoreError``.
    @discardableResult
    package func send(
        _ change: Change,
        check: @Sendable (Record) throws -> Void = { _ in }
    ) async throws -> (reply: Record.Reply?, record: Record) {
        try await attempt({ $0.errors }) { try await self.sendNow(change, isAlone: true, check: check) }
    }

    /// Sends the pending requests of the wanted parts; one that the server refuses does not stop the others.
    package func flush(_ isWanted: @Sendable (Part) -> Bool = { _ in true }) async throws {
        let errors = try await attempt({ (try? $0.get()) ?? $0.errors }) { await self.sendAll(isWanted) }
        if let first = errors.first { throw first }
    }

    private func attempt<Value: Sendable>(
        _ errors: @escaping @Sendable (Result<Value, any Error>) -> [any Error],
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let job else { return try await work() }
        return try await job.attempt(errors, work)
    }

    private func sendNow(
        _ change: Change,
        isAlone: Bool,
        check: @Sendable (Record) throws -> Void
    ) async throws -> (reply: Record.Reply?, record: Record) {
        try await shared.queue.senders.run {
            shared.queue.joinDeliveryOrder()
            if let outcome = shared.outcome(for: change) { return (try outcome.get(), try record()) }
            var record = try record()
            // A flush of all parts sends the urgent part first anyway.
            if isAlone, let urgent = record.urgentPart, urgent != change.part, let first = try request(record, urgent) {
                do {
                    record = try await exchange(first, urgent, record.revision(of: urgent)).1
                } catch {
                    if error is CancellationError || Record.isOutage(error) { throw error }
                    record = try self.record()
                }
            }
            try check(record)
            var reply: Record.Reply?
            // A later change of the same part is sent by its own caller.
            while reply == nil || (try? check(record)) != nil, let request = try request(record, change.part) {
                (reply, record) = try await exchange(request, change.part, record.revision(of: change.part))
            }
            return (reply, record)
        }
    }

    private func sendAll(_ isWanted: (Part) -> Bool) async -> [any Error] {
        var tried: Set<Part> = []
        var errors: [any Error] = []
        do {
            var record = try record()
            while let part = record.pendingParts.first(where: { isWanted($0) && !tried.contains($0) }) {
                tried.insert(part)
                do {
                    record = try await sendNow(Change(part: part, revision: nil, time: 0), isAlone: false) { _ in }
                        .record
                } catch {
                    errors.append(error)
                    if error is CancellationError || Record.isOutage(error) { return errors }
                    record = try self.record()
                }
            }
        } catch {
            errors.append(error)
        }
        return errors
    }

    private func exchange(
        _ request: Record.Request,
        _ part: Part,
        _ revision: Int?
    ) async throws -> (Record.Reply, Record) {
        let result: Result<Record.Reply, any Error>
        do {
            result = .success(try await deliver(request))
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(error)
        }
        return try shared.note(result, of: request, part, revision)
    }
}

extension Result {
    fileprivate var errors: [any Error] {
        if case .failure(let error) = self { [error] } else { [] }
    }
}
