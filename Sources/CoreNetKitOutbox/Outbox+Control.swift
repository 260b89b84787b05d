public import CoreNetKitEssentials
public import CoreNetKitChain

extension Outbox {
    /// What came of a wish to take an entry back.
    public enum Cancellation: Hashable, Sendable {
        /// No byte of it is sent after this.
        case cancelled
        /// It is on its way, or was sent at least once.
        case tooLate
    }

    /// What becomes of the entries of other owners.
    public enum OtherOwners: Hashable, Sendable {
        /// They wait until their owner is back.
        case wait
        /// They are removed, from the files too.
        case remove
    }

    /// Takes an entry back, if no byte of it has been sent.
    ///
    /// - Parameter id: The entry, ``OutboxReceipt/id``.
    /// - Returns: Whether it was in time.
    /// - Throws: ``OutboxError`` with code `notFound` for an entry that has ended, `deliveredElsewhere` when another process
    ///   delivers, `uncertain` when nobody knows whether the cancellation outlasts a loss of power.
    @discardableResult
    public func cancel(_ id: UUID) async throws -> Cancellation { try await opened.cancel(id) }

    /// Entries that are dead or in doubt.
    public var deadLetters: DeadLetters { DeadLetters(engine: engine) }

    /// Says whose tokens the client has from now on; entries of others are not sent.
    ///
    /// Call it before the tokens change: it returns when nothing of another owner is on its way any more.
    ///
    /// - Parameters:
    ///   - owner: The new owner; `nil` for nobody.
    ///   - others: What becomes of the entries of other owners; those without an owner stay.
    /// - Throws: ``OutboxError`` when they cannot be removed.
    public func switchOwner(to owner: String?, others: OtherOwners = .wait) async throws {
        try await opened.switchOwner(to: owner, others: others)
    }

    /// Removes all entries of an owner, from the files too; what is on its way is ended first.
    ///
    /// - Parameter owner: The owner.
    /// - Throws: ``OutboxError`` when the folder cannot be written.
    public func removeAll(owner: String) async throws {
        let stored = OwnerName.stored(owner)
        try await opened.removeAll { $0 == stored }
    }

    /// Begins nothing of a user any more and ends what is on its way, whatever token the client still has: for a logout.
    ///
    /// Between this and ``unpark(_:)`` the token goes, and with ``removeAll(owner:)`` what is not to be kept. What is
    /// stored meanwhile waits, too.
    ///
    /// ```swift
    /// try await outbox.park(user)
    /// tokens.set(nil)
    /// await outbox.unpark(user)      // her entries wait until she signs in again
    /// ```
    ///
    /// - Parameter user: The user; there is nothing to do for one whose name means nobody in another process.
    /// - Throws: `CancellationError` when the waiting task is cancelled before all has ended; nothing begins all the same.
    public func park(_ user: Partition) async throws {
        if let owner = user.ownerName { try await opened.park(owner) }
    }

    /// Lets the entries of a user go on when the client's tokens are theirs, also those that waited for a token.
    ///
    /// - Parameter user: The user.
    public func unpark(_ user: Partition) async {
        if let owner = user.ownerName { await opened.unpark(owner) }
    }

    /// Lets go of the folder before the system suspends the process: another one may deliver from here on.
    ///
    /// What is on its way is ended. Requests can still be enqueued.
    public func suspend() async { await opened.suspend() }

    /// Goes on after ``suspend()``, or after a pause for want of a token.
    ///
    /// - Throws: ``OutboxError`` with code `notReady` when the folder cannot be read.
    public func resume() async throws { try await opened.resume() }

    /// Says that the network is back: entries that wait for a connection are tried at once.
    public func reconnected() async { await engine.reconnected() }

    /// Entries that the outbox does not send any more by itself.
    public struct DeadLetters: Sendable {
        let engine: OutboxEngine

        /// All of them, oldest first.
        public var all: [OutboxEntry] { get async { await engine.deadLetters() } }

        /// Sends an entry again, at its old place in its queue, with its old key.
        ///
        /// - Parameter id: The entry.
        /// - Throws: ``OutboxError`` with code `notFound` if there is none.
        public func retry(_ id: UUID) async throws { try await engine.revive(id) }

        /// Changes the request of an entry and sends it, at the old place in its queue: it was refused for what it says.
        ///
        /// It is another entry from here on, with an id and a key of its own, unless `change` sets `Idempotency-Key`: a
        /// server knows the old key for the old request. What was in doubt may have been executed as it was.
        ///
        /// ```swift
        /// try await outbox.deadLetters.retry(entry.id) { $0.body = .bytes(corrected) }
        /// ```
        ///
        /// - Parameters:
        ///   - id: The entry; it stays as it is when anything fails.
        ///   - change: Changes the request, which has no key.
        /// - Returns: What the caller holds of the new entry; returned when it is on disk.
        /// - Throws: ``OutboxError`` with code `notFound` when there is none, `invalidOption` for an errand, as storing the
        ///   request would; and what `change` throws.
        @discardableResult
        public func retry(
            _ id: UUID,
            changing change: @Sendable (inout OutboxRequest) throws -> Void
        ) async throws -> OutboxReceipt {
            try await engine.revive(id, changing: change)
        }

        /// Gives an entry up for good.
        ///
        /// - Parameter id: The entry.
        /// - Throws: ``OutboxError`` with code `notFound` if there is none.
        public func discard(_ id: UUID) async throws { try await engine.discard(id) }

        /// The request of an entry, to look at or to send otherwise; the entry stays.
        ///
        /// - Parameter id: The entry.
        /// - Returns: The request with its key; a large body is a file that is removed with the entry.
        /// - Throws: ``OutboxError`` with code `notFound` if there is none, `damaged` when it cannot be read.
        public func export(_ id: UUID) async throws -> OutboxRequest { try await engine.export(id) }
    }
}
