import CoreNetKit
package import CoreNetKitOutbox

/// Takes a change from storage to confirmation: stores it, schedules it in the outbox, sends it, and stores the
/// confirmation.
///
/// The record is read from the store at each step, so that instances and processes see each other's changes. All
/// instances with one record in a process send one at a time (`RecordQueue`). The service decides what a request is and
/// how it is delivered. With an outbox, a record with anything to send has one job there: stored before a request is
/// sent, ended when nothing is pending any more. Requests are made from the record alone.
package final class PushRegistrar<Record: PushRecord>: Sendable {
    package typealias Part = Record.Part
    /// A stored change that a caller can wait for, and the revision that includes it; `nil` if there is no change and
    /// pending requests are only to be sent.
    package typealias Change = (part: Part, revision: Int?, time: Int)

    let store: any KeyValueStore
    let load: @Sendable (any KeyValueStore) throws -> Record
    let save: @Sendable (_ new: Record, _ old: Record, any KeyValueStore) throws -> Void
    let queue: RecordQueue<Record>
    private let outbox: Outbox?
    private let jobName: String
    private let request: @Sendable (Record, Part) throws -> Record.Request?
    private let deliver: @Sendable (Record.Request) async throws -> Record.Reply

    /// Creates a registrar; those with the same key send one at a time.
    ///
    /// `save` may store further data with the record. Without an outbox, ``flush(_:)`` sends what is pending. `request` makes
    /// the next request of a part, `nil` if there is none, and throws if it must not be sent now.
    package init(
        store: any KeyValueStore,
        key: String,
        load: @escaping @Sendable (any KeyValueStore) throws -> Record,
        save: @escaping @Sendable (_ new: Record, _ old: Record, any KeyValueStore) throws -> Void,
        outbox: Outbox? = nil,
        request: @escaping @Sendable (Record, Part) throws -> Record.Request?,
        deliver: @escaping @Sendable (Record.Request) async throws -> Record.Reply
    ) {
        (self.store, self.load, self.save, self.outbox) = (store, load, save, outbox)
        (self.request, self.deliver) = (request, deliver)
        queue = store.scope.map { RecordQueue.shared(for: "\($0) \(key)") } ?? RecordQueue()
        // Shortened to the outbox's limit for names.
        jobName = key.utf8.count <= 200 ? key : String(key.prefix(100)) + key.stableHash
    }

    /// Sends a part's pending requests, unless another caller's request already included the change.
    ///
    /// A request that stops notifications goes first. `check` checks the record before it is sent. Returns the last reply,
    /// `nil` if there was nothing to send, and the record after it.
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

    private func sendNow(
        _ change: Change,
        isAlone: Bool,
        check: @Sendable (Record) throws -> Void
    ) async throws -> (reply: Record.Reply?, record: Record) {
        try await queue.senders.run {
            queue.joinDeliveryOrder()
            if let outcome = outcome(for: change) { return (try outcome.get(), try record()) }
            var record = try record()
            // A flush of all parts sends the urgent part first anyway.
            if isAlone, let urgent = record.urgentPart, urgent != change.part, let first = try request(record, urgent) {
                do {
                    record = try await exchange(first, urgent, record.revision(of: urgent)).1
                } catch {
                    if error is CancellationError || Record.blocksOtherRequests(error) { throw error }
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
                    record = try await sendNow((part, nil, 0), isAlone: false) { _ in }.record
                } catch {
                    errors.append(error)
                    if error is CancellationError || Record.blocksOtherRequests(error) { return errors }
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
        return try note(result, of: request, part, revision)
    }

    // MARK: - The job in the outbox
    /// Assigns the work of the record's job; `nil` sends everything that is pending.
    ///
    /// The outbox keeps the closures, which must not retain it.
    package func assignJob(_ turn: (@Sendable () async throws -> Void)? = nil) {
        outbox?.assign(
            OutboxJob(jobName, isDue: { [weak self] in try self?.isDue() }) { [weak self] in
                // Held until the outcome is known: the last owner may let go while the job sends.
                guard let self else { return nil }
                let errors = await run(turn)
                // Changes that were added meanwhile are sent by their callers, or by the job's next run.
                return Self.jobOutcome(errors, isDue) ?? .later("more to send")
            }
        )
    }

    private func run(_ turn: (@Sendable () async throws -> Void)?) async -> [any Error] {
        guard let turn else { return await sendAll { _ in true } }
        do {
            try await turn()
            return []
        } catch {
            return [error]
        }
    }

    private func isDue() throws -> Bool {
        let record = try record()
        return record.pendingParts.contains { part in ((try? request(record, part)) ?? nil) != nil }
    }

    /// Runs work as an attempt of the job, if there is anything to send.
    private func attempt<Value: Sendable>(
        _ errors: @Sendable (Result<Value, any Error>) -> [any Error],
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let outbox, let isDueNow = try? isDue() else { return try await work() }
        guard isDueNow else {
            let value = try await work()
            // An earlier process may have ended between the confirmation and the removal of the entry.
            if (try? isDue()) == false { await outbox.withdraw(job: jobName) }
            return value
        }
        return try await outbox.attempt(jobName, judge: { Self.jobOutcome(errors($0), { try isDue() }) }, work)
    }

    /// The outcome of the job for an attempt's errors; `nil` leaves it to the next run.
    private static func jobOutcome(_ errors: [any Error], _ isDue: () throws -> Bool) -> OutboxJob.Outcome? {
        do {
            if try !isDue() { return .done }
        } catch {
            return .later("the store cannot be read")
        }
        let errors = errors.filter { !($0 is CancellationError) }
        guard let error = errors.first(where: { !Record.isRefusal($0) }) ?? errors.first else { return nil }
        if Record.isRefusal(error) { return .refused("\(error)") }
        let network = Record.network(of: error)
        if let network, network.refusal == nil, network.isSafeToResend { return .unreachable("\(network.code)") }
        return .later("\(error)", after: network?.retryAfter)
    }
}

extension Result {
    fileprivate var errors: [any Error] {
        if case .failure(let error) = self { [error] } else { [] }
    }
}
