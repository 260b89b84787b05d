import CoreNetKit
import CoreNetKitSystem

/// The one way from a wish to its confirmation: stored first, sent in turn, confirmed in the store.
///
/// The record is read from the store at each step, so that instances and processes see each other's changes. All
/// instances of one process on one record wait for one another. What a request is and how it is delivered is the
/// service's; a delivery may be a chain or a queue that outlives the process.
package final class PushRegistrar<Record: PushRecord>: Sendable {
    package typealias Part = Record.Part

    /// A wish that was stored: what to wait for.
    package struct Wish: Sendable {
        let part: Part
        /// The revision that has the wish; `nil` wants nothing new, only to have what is open sent.
        let revision: Int?
        let time: Int
    }

    /// Reads and writes the record; a service may keep more beside it.
    package struct Storage: Sendable {
        let load: @Sendable (any KeyValueStore) throws -> Record
        let save: @Sendable (_ new: Record, _ old: Record, any KeyValueStore) throws -> Void

        package init(
            load: @escaping @Sendable (any KeyValueStore) throws -> Record,
            save: @escaping @Sendable (_ new: Record, _ old: Record, any KeyValueStore) throws -> Void
        ) {
            self.load = load
            self.save = save
        }
    }

    private let store: any KeyValueStore
    private let storage: Storage
    private let line: PushLine
    private let request: @Sendable (Record, Part) throws -> Record.Request?
    private let deliver: @Sendable (Record.Request) async throws -> Record.Reply

    /// Creates a registrar.
    ///
    /// - Parameters:
    ///   - store: Where the record is kept.
    ///   - key: The name of the record, also for those who wait for one another.
    ///   - storage: Reads and writes the record.
    ///   - request: The next request of a part, `nil` when there is none; throws where it must not be sent now.
    ///   - deliver: Sends a request, and gives what the server said.
    package init(
        store: any KeyValueStore,
        key: String,
        storage: Storage,
        request: @escaping @Sendable (Record, Part) throws -> Record.Request?,
        deliver: @escaping @Sendable (Record.Request) async throws -> Record.Reply
    ) {
        self.store = store
        self.storage = storage
        self.request = request
        self.deliver = deliver
        line = store.scope.map { PushLine.shared(for: "\($0) \(key)") } ?? PushLine()
    }

    /// The record as the store has it now.
    package func record() throws -> Record {
        try change { _ in }
    }

    /// Changes the record; when the store cannot keep the change, there is none.
    @discardableResult
    package func change(_ body: (inout Record) throws -> Void) throws -> Record {
        try line.state.withLock { _ in try write(body) }
    }

    /// Takes a wish; it is durable when this returns.
    package func wish(_ part: Part, _ body: (inout Record) throws -> Void) throws -> Wish {
        try line.state.withLock { state in
            let record = try write(body)
            state.time += 1
            return Wish(part: part, revision: record.revision(of: part), time: state.time)
        }
    }

    /// Sends the open requests of a part, unless one that had the wish in it was sent for somebody else.
    ///
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
        try await line.queue.run {
            if let shared = outcome(for: wish) { return (try shared.get(), try record()) }
            var record = try record()
            try check(record)
            var reply: Record.Reply?
            // A later wish for the same part is its own caller's to send.
            while reply == nil || (try? check(record)) != nil, let request = try request(record, wish.part) {
                (reply, record) = try await exchange(request, wish.part, record.revision(of: wish.part))
            }
            return (reply, record)
        }
    }

    /// Sends everything that is open; a part that the server refuses does not keep the others.
    ///
    /// - Parameter isWanted: Which parts to send.
    /// - Throws: The first error; what was not sent stays open.
    package func flush(_ isWanted: (Part) -> Bool = { _ in true }) async throws {
        var tried: Set<Part> = []
        var first: (any Error)?
        var record = try record()
        while let part = record.openParts.first(where: { isWanted($0) && !tried.contains($0) }) {
            tried.insert(part)
            do {
                record = try await send(Wish(part: part, revision: nil, time: 0)).record
            } catch {
                if error is CancellationError || Record.isOutage(error) { throw first ?? error }
                first = first ?? error
                record = try self.record()
            }
        }
        if let first { throw first }
    }

    private func exchange(
        _ request: Record.Request,
        _ part: Part,
        _ revision: Int?
    ) async throws -> (Record.Reply, Record) {
        var result: Result<Record.Reply, any Error>
        do {
            result = .success(try await deliver(request))
        } catch let error as CancellationError {
            throw error
        } catch {
            result = .failure(error)
        }
        return try line.state.withLock { state in
            var record: Record?
            do {
                record = try write { record in
                    switch result {
                    case .success(let reply): record.confirm(request, reply)
                    case .failure(let error): record.fail(request, error)
                    }
                }
            } catch {
                if case .success = result { result = .failure(error) }
            }
            if let revision {
                state.outcomes[part] = PushLine.Outcome(revision: revision, time: state.time, result: result)
            }
            let reply = try result.get()
            // Without a record the result is the store's failure.
            return (reply, try record ?? write { _ in })
        }
    }

    private func outcome(for wish: Wish) -> Result<Record.Reply, any Error>? {
        line.state.withLock { state in
            guard let revision = wish.revision, let outcome = state.outcomes[wish.part],
                outcome.revision >= revision, outcome.time >= wish.time
            else { return nil }
            return outcome.result as? Result<Record.Reply, any Error>
        }
    }

    @discardableResult
    private func write(_ body: (inout Record) throws -> Void) throws -> Record {
        var refusal: (any Error)?
        do {
            return try store.transaction { store in
                let before = try storage.load(store)
                var after = before
                do {
                    try body(&after)
                } catch {
                    refusal = error
                    throw error
                }
                after.count(changesSince: before)
                if after != before { try storage.save(after, before, store) }
                return after
            }
        } catch {
            throw refusal ?? PushStoreError(cause: error)
        }
    }
}
