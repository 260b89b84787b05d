public import CoreNetKitChain
public import CoreNetKitEssentials

extension Outbox {
    /// The result of cancelling an entry.
    public enum Cancellation: Hashable, Sendable {
        /// No byte of it is sent from now on.
        case cancelled
        /// It is being sent, or was sent at least once.
        case tooLate
    }

    /// What happens to the entries of other owners.
    public enum OtherOwners: Hashable, Sendable {
        /// They wait until their owner signs in again.
        case wait
        /// They are removed, from the files too.
        case remove
    }

    /// Cancels an entry, ``OutboxReceipt/id``, if no byte of it has been sent; returns whether it was in time.
    ///
    /// - Throws: ``OutboxError`` with code `notFound` for an entry that has ended, `deliveredElsewhere` if another
    ///   process delivers, `uncertain` if the cancellation may not survive a loss of power.
    @discardableResult
    public func cancel(_ id: UUID) async throws -> Cancellation { try await opened.cancel(id) }

    /// Entries that are dead or in doubt.
    public var deadLetters: DeadLetters { DeadLetters(engine: engine) }

    /// Sets the user of the client's tokens; entries of other users are not sent.
    ///
    /// Call it before the tokens change: it returns once no request of another owner is in flight. Entries without an owner
    /// stay, whatever happens to those of others.
    ///
    /// - Throws: ``OutboxError`` when they cannot be removed.
    public func switchOwner(to owner: String?, others: OtherOwners = .wait) async throws {
        try await opened.switchOwner(to: owner, others: others)
    }

    /// Removes all entries of an owner, from the files too; running requests are cancelled first.
    ///
    /// - Throws: ``OutboxError`` when the folder cannot be written.
    public func removeAll(owner: String) async throws {
        let stored = Partition.ownerName(stored: owner)
        try await opened.removeAll { $0 == stored }
    }

    /// Stops sending a user's requests and cancels running ones, whatever token the client still has: for a logout.
    ///
    /// Between this and ``unpark(_:)``, remove the token, and with ``removeAll(owner:)`` the entries that should not be
    /// kept. Entries stored in the meantime wait, too.
    ///
    /// ```swift
    /// try await outbox.park(user)
    /// tokens.set(nil)
    /// await outbox.unpark(user)      // her entries wait until she signs in again
    /// ```
    ///
    /// - Parameter user: The user; nothing happens for one whose name is not stable across processes.
    /// - Throws: `CancellationError` when the calling task is cancelled before all requests have ended; the user stays
    ///   parked.
    public func park(_ user: Partition) async throws {
        if let owner = user.ownerName { try await opened.park(owner) }
    }

    /// Sends the entries of a user again once the client has their tokens, including entries that waited for a token.
    public func unpark(_ user: Partition) async {
        if let owner = user.ownerName { await opened.unpark(owner) }
    }

    /// Releases the folder before the system suspends the process: another process may deliver from here on.
    ///
    /// Running requests are cancelled. Requests can still be enqueued.
    public func suspend() async { await opened.suspend() }

    /// Continues after ``suspend()``, or after a pause because of a missing token.
    ///
    /// - Throws: ``OutboxError`` with code `notReady` when the folder cannot be read.
    public func resume() async throws { try await opened.resume() }

    /// Reports that the network is back: entries that wait for a connection are tried at once.
    public func reconnected() async { await engine.reconnected() }

    /// Entries that the outbox no longer sends automatically.
    public struct DeadLetters: Sendable {
        let engine: OutboxEngine

        /// All of them, oldest first.
        public var all: [OutboxEntry] { get async { await engine.deadLetters() } }

        /// Sends an entry again, at its old position in its queue, with its old key.
        ///
        /// - Throws: ``OutboxError`` with code `notFound` if there is none.
        public func retry(_ id: UUID) async throws { try await engine.revive(id) }

        /// Changes the request of an entry, for example after a rejection, and sends it at the old position in the queue.
        ///
        /// The result is another entry, with an id and a key of its own unless `change` sets `Idempotency-Key`: a server
        /// knows the old key for the old request. If the old entry was in doubt, the unchanged request may have been
        /// executed.
        ///
        /// ```swift
        /// try await outbox.deadLetters.retry(entry.id) { $0.body = .bytes(corrected) }
        /// ```
        ///
        /// `change` gets the request without its key. The old entry stays as it is when anything fails.
        ///
        /// - Returns: The receipt of the new entry, once that is on disk.
        /// - Throws: ``OutboxError`` with code `notFound` if there is none, `invalidOption` for a job (``OutboxJob``),
        ///   and the codes of storing a request; also the errors of `change`.
        @discardableResult
        public func retry(
            _ id: UUID,
            changing change: @Sendable (inout OutboxRequest) throws -> Void
        ) async throws -> OutboxReceipt {
            try await engine.revive(id, changing: change)
        }

        /// Discards an entry permanently.
        ///
        /// - Throws: ``OutboxError`` with code `notFound` if there is none.
        public func discard(_ id: UUID) async throws { try await engine.discard(id) }

        /// The request of an entry, to inspect it or to send it in another way; the entry stays.
        ///
        /// - Returns: The request with its key; a large body is a file that is removed with the entry.
        /// - Throws: ``OutboxError`` with code `notFound` if there is none, `damaged` when it cannot be read.
        public func export(_ id: UUID) async throws -> OutboxRequest { try await engine.export(id) }
    }
}

extension Outbox: SessionDataOwner {
    /// Requests that wait to be delivered.
    public var kind: SignOut.Kind { .requests }

    /// Removes the entries of the session's user, from the files too; running requests are cancelled first.
    ///
    /// - Throws: ``OutboxError`` when the folder cannot be written.
    public func removeData(of session: Partition.Session) async throws {
        // A user whose name is not stable across processes has no stored entries.
        guard let owner = session.partition.ownerName else { return }
        let engine = await opened
        // Parked first: a request in flight must not return as an entry between the end of its attempt and the removal.
        do {
            try await engine.park(owner)
            try await engine.removeAll { $0 == owner }
        } catch {
            await engine.unpark(owner)
            throw error
        }
        await engine.unpark(owner)
    }
}
