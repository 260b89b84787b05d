import CoreNetKit
package import CoreNetKitOutbox
import CoreNetKitSystem

/// The one way from a wish to its confirmation: stored first, due in the outbox, sent in turn, confirmed in the store.
///
/// The record is read from the store at each step, so that instances and processes see each other's changes. All
/// instances of one process on one record wait for one another. What a request is and how it is delivered is the
/// service's. With an outbox a record that has something to send is an errand there, one entry for each record: it is
/// written before a request leaves, and ends when nothing is open any more. Requests are made from the record alone.
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
    private let outbox: Outbox?
    private let name: String
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
        self.store = store
        self.storage = storage
        self.request = request
        self.deliver = deliver
        line = store.scope.map { PushLine.shared(for: "\($0) \(key)") } ?? PushLine()
        self.outbox = outbox
        name = Self.errandName(key)
    }

    /// Carries out the errand of the record at its turn in the outbox.
    ///
    /// - Parameter turn: What is done then; `nil` sends what is open.
    package func serve(_ turn: (@Sendable () async throws -> Void)? = nil) {
        outbox?.assign(
            OutboxErrand(name, isDue: { [weak self] in try self?.isDue() }) { [weak self] in
                guard let self else { return nil }
                let errors: [any Error]
                if let turn {
                    do {
                        try await turn()
                        errors = []
                    } catch {
                        errors = [error]
                    }
                } else {
                    errors = await self.sendAll { _ in true }
                }
                // What has come meanwhile is its own caller's, or the next turn's.
                return self.outcome(errors) ?? .later("more to send")
            }
        )
    }

    /// The name of an errand is no longer than one may be.
    private static func errandName(_ key: String) -> String {
        key.utf8.count <= 200 ? key : String(key.prefix(100)) + StableHash.name(of: key)
    }

    /// The record as the store has it now.
    package func record() throws -> Record {
        try change { _ in }
    }

    /// Changes the record; when the store cannot keep the change, there is none.
    @discardableResult
    package func change(_ body: (inout Record) throws -> Void) throws -> Record {
        try line.state.withLock { state in try write(&state, body) }
    }

    /// Changes the record; where the store cannot keep that now, this process does it before anything else is read or
    /// changed: what comes later is not taken for what was there before.
    ///
    /// - Parameter body: The change; to make it twice does no harm.
    /// - Throws: ``PushStoreError``; the change is made all the same, as long as the process lives.
    package func change(insisting body: @escaping @Sendable (inout Record) -> Void) throws {
        try line.state.withLock { state in
            do {
                try write(&state, body)
            } catch {
                state.late.append(PushLine.Late(change: body))
                throw error
            }
        }
    }

    /// Takes a wish; it is durable when this returns.
    package func wish(_ part: Part, _ body: (inout Record) throws -> Void) throws -> Wish {
        try line.state.withLock { state in
            let record = try write(&state, body)
            state.time += 1
            return Wish(part: part, revision: record.revision(of: part), time: state.time)
        }
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

    /// Whether anything can be sent as the record is now.
    package func isDue() throws -> Bool {
        let record = try record()
        return record.openParts.contains { part in ((try? request(record, part)) ?? nil) != nil }
    }

    /// Does work for the record, as an attempt of its errand where there is an outbox and anything to do.
    private func attempt<Value: Sendable>(
        _ errors: @escaping @Sendable (Result<Value, any Error>) -> [any Error],
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let outbox, let isDue = try? isDue() else { return try await work() }
        guard isDue else {
            let value = try await work()
            // A process may have ended between the confirmation and the end of the entry.
            if (try? self.isDue()) == false { await outbox.withdraw(errand: name) }
            return value
        }
        return try await outbox.attempt(name, judge: { self.outcome(errors($0)) }, work)
    }

    /// What the errors of an attempt mean for the errand; `nil` leaves it to its turn.
    private func outcome(_ errors: [any Error]) -> OutboxErrand.Outcome? {
        do {
            guard try isDue() else { return .done }
        } catch {
            return .later("the store cannot be read")
        }
        let errors = errors.filter { !($0 is CancellationError) }
        guard let error = errors.first(where: { !Record.isRefusal($0) }) ?? errors.first else { return nil }
        if Record.isRefusal(error) { return .refused("\(error)") }
        let network = Record.network(of: error)
        if let network, network.status == nil, network.isSafeToResend { return .unreachable("\(network.code)") }
        return .later("\(error)", after: network?.retryAfter)
    }

    private func sendNow(
        _ wish: Wish,
        isAlone: Bool,
        check: @Sendable (Record) throws -> Void
    ) async throws -> (reply: Record.Reply?, record: Record) {
        try await line.queue.run {
            if let shared = outcome(for: wish) { return (try shared.get(), try record()) }
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
                record = try write(&state) { record in
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
            return (reply, try record ?? write(&state) { _ in })
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
    private func write(_ state: inout PushLine.State, _ body: (inout Record) throws -> Void) throws -> Record {
        var refusal: (any Error)?
        do {
            let record = try store.transaction { [late = state.late] store in
                let before = try storage.load(store)
                var after = before
                for case let late as PushLine.Late<Record> in late { late.change(&after) }
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
            state.late = []
            return record
        } catch {
            throw refusal ?? PushStoreError(cause: error)
        }
    }
}

extension Result {
    fileprivate var errors: [any Error] {
        if case .failure(let error) = self { [error] } else { [] }
    }
}
