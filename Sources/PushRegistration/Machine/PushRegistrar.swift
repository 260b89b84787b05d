import CoreNetKit
package import CoreNetKitOutbox

/// The one way from a wish to its confirmation: stored first, due in the outbox, sent in turn, confirmed in the store.
///
/// The record is read from the store at each step (`SharedRecord`), so that instances and processes see each other's
/// changes. All instances of one process on one record wait for one another (`PushLine`). What a request is and how it is
/// delivered is the service's. With an outbox a record that has something to send is an errand there (`PushErrand`).
/// Requests are made from the record alone.
package final class PushRegistrar<Record: PushRecord>: Sendable {
    package typealias Part = Record.Part
    package typealias Wish = PushWish<Record>
    package typealias Storage = PushStorage<Record>

    private let shared: SharedRecord<Record>
    private let errand: PushErrand<Record>?
    private let request: @Sendable (Record, Part) throws -> Record.Request?
    private let deliver: @Sendable (Record.Request) async throws -> Record.Reply

    /// Creates a registrar.
    ///
    /// - Parameters:
    ///   - store: Where the record is kept.
    ///   - key: The name of the record, also for those who wait for one another.
    ///   - storage: Reads and writes the record.
    ///   - outbox: What reminds of the record until nothing is open; `nil` leaves that to ``flush(_:)``.
    ///   - request: The next request of a part, `nil` when there is none; throws where it must not be sent now.
    ///   - deliver: Sends a request, and gives what the server said.
    package init(
        store: any KeyValueStore,
        key: String,
        storage: Storage,
        outbox: Outbox? = nil,
        request: @escaping @Sendable (Record, Part) throws -> Record.Request?,
        deliver: @escaping @Sendable (Record.Request) async throws -> Record.Reply
    ) {
        let shared = SharedRecord(store, key, storage)
        self.shared = shared
        self.request = request
        self.deliver = deliver
        errand = outbox.map { outbox in
            PushErrand(key, in: outbox) {
                let record = try shared.record()
                return record.openParts.contains { part in ((try? request(record, part)) ?? nil) != nil }
            }
        }
    }

    /// Carries out the errand of the record at its turn in the outbox.
    ///
    /// - Parameter turn: What is done then; `nil` sends what is open.
    package func serve(_ turn: (@Sendable () async throws -> Void)? = nil) {
        errand?.serve(isDue: { [weak self] in try self?.errand?.isDue() }) { [weak self] in
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

    /// The record as the store has it now.
    package func record() throws -> Record { try shared.record() }

    /// Changes the record; when the store cannot keep the change, there is none.
    @discardableResult
    package func change(_ body: (inout Record) throws -> Void) throws -> Record { try shared.change(body) }

    /// Changes the record; where the store cannot keep that now, this process does it before anything else is read or
    /// changed: what comes later is not taken for what was there before.
    ///
    /// - Parameter body: The change; to make it twice does no harm.
    /// - Throws: ``PushStoreError``; the change is made all the same, as long as the process lives.
    package func change(insisting body: @escaping @Sendable (inout Record) -> Void) throws {
        try shared.change(insisting: body)
    }

    /// Takes a wish; it is durable when this returns.
    package func wish(_ part: Part, _ body: (inout Record) throws -> Void) throws -> Wish {
        try shared.wish(part, body)
    }

    /// Sends the open requests of a part, unless one that had the wish in it was sent for somebody else.
    ///
    /// What keeps notifications away goes before it.
    /// - Parameters:
    ///   - wish: What to wait for.
    ///   - check: Looks at the record when it is this wish's turn.
    /// - Returns: The last reply, `nil` when there was nothing to send, and the record then.
    /// - Throws: The error of a request, or ``PushStoreError``.
    @discardableResult
    package func send(
        _ wish: Wish,
        check: @Sendable (Record) throws -> Void = { _ in }
    ) async throws -> (reply: Record.Reply?, record: Record) {
        try await attempt({ $0.errors }) { try await self.sendNow(wish, isAlone: true, check: check) }
    }

    /// Sends everything that is open; a part that the server refuses does not keep the others.
    ///
    /// - Parameter isWanted: Which parts to send.
    /// - Throws: The first error; what was not sent stays open.
    package func flush(_ isWanted: @Sendable (Part) -> Bool = { _ in true }) async throws {
        let errors = try await attempt({ (try? $0.get()) ?? $0.errors }) { await self.sendAll(isWanted) }
        if let first = errors.first { throw first }
    }

    private func attempt<Value: Sendable>(
        _ errors: @escaping @Sendable (Result<Value, any Error>) -> [any Error],
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let errand else { return try await work() }
        return try await errand.attempt(errors, work)
    }

    private func sendNow(
        _ wish: Wish,
        isAlone: Bool,
        check: @Sendable (Record) throws -> Void
    ) async throws -> (reply: Record.Reply?, record: Record) {
        try await shared.line.queue.run {
            shared.line.noteTurn()
            if let outcome = shared.outcome(for: wish) { return (try outcome.get(), try record()) }
            var record = try record()
            // Of all that is open it is the first anyway.
            if isAlone, let urgent = record.urgentPart, urgent != wish.part, let first = try request(record, urgent) {
                do {
                    record = try await exchange(first, urgent, record.revision(of: urgent)).1
                } catch {
                    if error is CancellationError || Record.isOutage(error) { throw error }
                    record = try self.record()
                }
            }
            try check(record)
            var reply: Record.Reply?
            // A later wish for the same part is its own caller's to send.
            while reply == nil || (try? check(record)) != nil, let request = try request(record, wish.part) {
                (reply, record) = try await exchange(request, wish.part, record.revision(of: wish.part))
            }
            return (reply, record)
        }
    }

    private func sendAll(_ isWanted: (Part) -> Bool) async -> [any Error] {
        var tried: Set<Part> = []
        var errors: [any Error] = []
        do {
            var record = try record()
            while let part = record.openParts.first(where: { isWanted($0) && !tried.contains($0) }) {
                tried.insert(part)
                do {
                    record = try await sendNow(Wish(part: part, revision: nil, time: 0), isAlone: false) { _ in }.record
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
