import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSystem

// MARK: - Renewal

extension SharedLogin {
    /// The inputs of one renewal.
    struct Renewal {
        let user: Partition
        let key: SharedKey
        /// The session of this process in which the renewal began.
        let session: Int
        /// The credential that this process has.
        let current: (any TokenCredential)?
        let date: @Sendable () -> Date
        let refresh: CredentialSharing.Refresh
    }

    func renewed(
        _ current: (any TokenCredential)?,
        of user: Partition,
        date: @escaping @Sendable () -> Date,
        by refresh: @escaping Refresh
    ) async throws -> any TokenCredential {
        let session = enter(user)
        let key = key(of: user)
        let renewal = Renewal(user: user, key: key, session: session, current: current, date: date, refresh: refresh)
        do {
            return try await renewed(renewal)
        } catch let error as SealingError {
            throw Self.failure("the shared credential cannot be opened: \(error.message)", cause: error)
        }
    }

    /// Repeats until there is a new credential, or the store has been unavailable for too long.
    private func renewed(_ renewal: Renewal) async throws -> any TokenCredential {
        var (pause, held) = (Duration.milliseconds(10), HeldLease?.none)
        var failingSince: Duration?
        while true {
            do {
                try await storePending(of: renewal.user)
                if let renewed = try await attempt(renewal, &held) { return renewed }
                failingSince = nil
            } catch let error as SharedStoreError {
                if error.code == .cancelled {
                    if let held { await release(held.lease) }
                    throw CancellationError()
                }
                let since = failingSince ?? clock.now
                failingSince = since
                // One slow reply does not mean that the store is unavailable, and refreshes are rare enough to wait.
                let isPassing =
                    error.isUnavailable && (error.code != .unavailable || settings.afterLostRefresh == .endSession)
                guard isPassing, clock.now - since < Self.tolerance else {
                    if let held { await release(held.lease) }
                    return try await renewedAlone(renewal, error)
                }
            }
            do {
                try await clock.sleep(until: clock.time(after: pause))
            } catch {
                if let held { await release(held.lease) }
                throw error
            }
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// How long a store may fail before the renewal continues without it, or fails.
    private static let tolerance = Duration.seconds(1)

    /// Reads the store once and tries once to become the process that refreshes; the lease is kept while the store fails.
    ///
    /// - Returns: `nil` if another process is refreshing, or the record that was read is out of date.
    private func attempt(_ renewal: Renewal, _ held: inout HeldLease?) async throws -> (any TokenCredential)? {
        if let late = held, clock.now >= late.lastStart || isUnsent(late) {
            held = nil
            await release(late.lease)
        }
        if held == nil {
            let seen = try await readRecord(renewal.key)
            if let taken = try taken(seen, renewal, hasLease: false) { return taken }
            // Measured before the request, so that the lease lasts at least as long in the store.
            let requested = clock.now
            guard let lease = try await recordingWait({ try await store.lease(renewal.key, for: settings.lease) })
            else {
                return nil
            }
            held = HeldLease(lease: lease, requested: requested, end: requested + settings.lease)
        }
        guard let mine = held else { return nil }
        do {
            let renewed = try await renewed(renewal, mine)
            held = nil
            return renewed
        } catch is OutOfDate {
            held = nil
            await release(mine.lease)
            return nil
        } catch let error as LoginEndedElsewhere {
            await release(mine.lease)
            throw error
        } catch let error as SealingError {
            await release(mine.lease)
            throw error
        }
    }

    private func renewed(_ renewal: Renewal, _ held: HeldLease) async throws -> (any TokenCredential)? {
        // The previous holder may have stored its result just now.
        let found = try await readRecord(renewal.key)
        guard let taken = try taken(found, renewal, hasLease: true) else {
            return try await spend(found, renewal, held)
        }
        await release(held.lease)
        return taken
    }

    /// The stored credential, if it is newer than that of this process.
    func taken(_ found: FoundRecord?, _ renewal: Renewal, hasLease: Bool) throws -> (any TokenCredential)? {
        let stored = try found.flatMap { try credential(of: $0.record) }
        let verdict = verdict(found, stored, renewal, hasLease: hasLease)
        switch verdict {
        case .take:
            if let found { learn(found.record, renewal) }
            return stored
        case .ended:
            if let found { learn(found.record, renewal) }
            throw LoginEndedElsewhere()
        case .spend, .lost, .forgotten: return nil
        }
    }

    /// Remembers a record unless a later login has started another session with records of its own.
    func learn(_ record: CredentialRecord, _ renewal: Renewal) {
        state.withLock { state in
            if state.user == renewal.user, state.session == renewal.session { state.rules.learn(record) }
        }
    }

    /// Whether the intention under a lease was withdrawn; a second one under the same lease would look withdrawn, too.
    private func isUnsent(_ held: HeldLease) -> Bool {
        state.withLock { $0.rules.isUnsent(lease: held.lease.number) }
    }

    func verdict(
        _ found: FoundRecord?,
        _ stored: (any TokenCredential)?,
        _ renewal: Renewal,
        hasLease: Bool
    ) -> LoginRules.Verdict {
        state.withLock {
            $0.rules.verdict(
                on: found?.record,
                stored: stored?.accessToken,
                current: renewal.current?.accessToken,
                now: renewal.date(),
                hasLease: hasLease
            )
        }
    }

    func credential(of record: CredentialRecord) throws -> (any TokenCredential)? {
        guard !record.credential.isEmpty else { return nil }
        do {
            return try coding.decode(record.credential)
        } catch {
            throw SealingError(.malformed, "it does not have this refresher's type: another version wrote it")
        }
    }

    /// Releases a lease, now or later.
    func release(_ lease: SharedLease) async {
        await recordingWait { await store.releaseReliably(lease, before: clock.time(after: settings.lease), on: clock) }
    }

    /// Renews without the store, or fails, as the settings say.
    private func renewedAlone(_ renewal: Renewal, _ error: SharedStoreError) async throws -> any TokenCredential {
        guard settings.afterLostRefresh == .spendAgain else {
            throw Self.failure(
                "the token is shared, and its store is unavailable, so another process may be renewing it: \(error)",
                cause: error,
                isRetryable: true
            )
        }
        note(.fallback, "the token is renewed by this process alone", error)
        let renewed = try await renewal.refresh(renewal.current)
        let credential = try coding.encode(renewed)
        let number = state.withLock { $0.rules.next(over: 0) }
        learn(CredentialRecord(.current, number, credential: credential), renewal)
        await keep(renewed, number, renewal)
        return renewed
    }

    /// Stores the result of a refresh, now or later.
    ///
    /// - Returns: Whether it is stored.
    @discardableResult
    func keep(_ renewed: any TokenCredential, _ number: UInt64, _ renewal: Renewal) async -> Bool {
        do {
            let change = PendingRecord.Change.renewal(try coding.encode(renewed), number: number)
            try await store(change, of: renewal.user, in: renewal.session)
            return true
        } catch {
            noteDelay("the other processes do not know the renewed credential yet", error, of: renewal.user)
            return false
        }
    }

    // MARK: - Data loss in the store

    /// Whether to wait, because another process may be sending, or know of, a credential that the store has lost.
    ///
    /// The wait covers the lease of any refresh in progress and the time for other processes to restore their records.
    func isQuiet(_ verdict: LoginRules.Verdict) -> Bool {
        guard settings.afterLostRefresh == .endSession else { return false }
        let now = clock.now
        return state.withLock { state in
            if verdict == .forgotten { state.forgottenAt = now }
            let end = state.forgottenAt.map { $0 + settings.lease + Self.reconnection }
            return state.isUncompared || end.map { now < $0 } ?? false
        }
    }

    /// How long a process may take to notice a lost connection, reconnect and restore its records.
    private static let reconnection = Duration.seconds(3)

    /// Notes a lost connection: the next one may reach a store that lacks data.
    func noteLoss() {
        state.withLock { state in
            if state.rules.last != nil { state.isUncompared = true }
        }
    }
}
