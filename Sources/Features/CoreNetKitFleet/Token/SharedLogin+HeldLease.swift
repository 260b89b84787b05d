import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSystem

// MARK: - The refresh request

extension SharedLogin {
    /// The lease of the process that refreshes.
    struct HeldLease {
        let lease: SharedLease
        /// When the lease was requested.
        let requested: Duration
        let end: Duration

        /// The latest start of the request: more than half of the lease must be left.
        var lastStart: Duration { requested + (end - requested) / 2 }
    }

    /// Records the intention, spends the refresh token, and stores the result.
    ///
    /// - Returns: The new credential; `nil` if the record that was read is out of date.
    func spend(_ found: FoundRecord?, _ renewal: Renewal, _ held: HeldLease) async throws -> (any TokenCredential)? {
        let known = try found.flatMap { try credential(of: $0.record) }
        let verdict = verdict(found, known, renewal, hasLease: true)
        let isQuiet = isQuiet(verdict)
        if verdict == .forgotten { try await store(.known, of: renewal.user) }
        guard !isQuiet, verdict != .forgotten else {
            await release(held.lease)
            return nil
        }
        if verdict == .lost { try await resolveLostRefresh(found, renewal) }
        let spent = verdict == .spend(stored: false) ? renewal.current : known ?? renewal.current
        let number = max(found?.record.number ?? 0, state.withLock { $0.rules.known })
        let content: Data
        do {
            content = try spent.map(coding.encode) ?? Data()
        } catch {
            await release(held.lease)
            throw error
        }
        let intention = CredentialRecord(.intention, number, lease: held.lease.number, credential: content)
        let seen = found?.version ?? 0
        let unsent = PendingRecord.Change.unsent(intention, over: seen)
        guard let version = try await announce(intention, over: seen, unsent, renewal, held) else { return nil }
        learn(intention, renewal)
        state.withLock { $0.isSending = true }
        defer { state.withLock { $0.isSending = false } }
        let renewed = try await sent(spent, number + 1, unsent, renewal, held)
        return try await stored(renewed, number + 1, over: version, renewal, held)
    }

    /// Tells the other processes which credential is about to be spent.
    ///
    /// - Returns: The version of the stored intention; `nil` if the credential must not be spent, after cleaning up.
    private func announce(
        _ intention: CredentialRecord,
        over seen: UInt64,
        _ unsent: PendingRecord.Change,
        _ renewal: Renewal,
        _ held: HeldLease
    ) async throws -> UInt64? {
        let version: UInt64?
        do {
            version = try await write(intention, renewal.key, over: seen)
        } catch {
            // The write may have succeeded, or may still arrive.
            await undo(unsent, renewal, held)
            throw error
        }
        guard let version else {
            await release(held.lease)
            return nil
        }
        guard clock.now < held.lastStart else {
            await undo(unsent, renewal, held)
            return nil
        }
        return version
    }

    /// Handles a refresh that was started by a process that is gone.
    ///
    /// The end of the session is reported only after it is stored: a late process may still have stored its result, and then
    /// the session continues.
    private func resolveLostRefresh(_ found: FoundRecord?, _ renewal: Renewal) async throws {
        guard settings.afterLostRefresh == .endSession else {
            note(.lostRefresh, "the outcome of a refresh is unknown; the refresh token is spent again")
            return
        }
        let number = state.withLock { $0.rules.next(over: found?.record.number ?? 0) }
        let end = CredentialRecord(.ended, number)
        let version: UInt64?
        do {
            // Only over the version that was read.
            version = try await write(end, renewal.key, over: found?.version ?? 0)
        } catch let error as SharedStoreError where error.mayBeDone {
            note(.lostRefresh, "the outcome of a refresh is unknown; the session ends, if the store wrote that", error)
            throw error
        }
        guard version != nil else { throw OutOfDate() }
        note(.lostRefresh, "the outcome of a refresh is unknown; the session ends")
        learn(end, renewal)
        throw LoginEndedElsewhere()
    }

    /// Sends the request, and waits no longer than the lease lasts.
    private func sent(
        _ spent: (any TokenCredential)?,
        _ number: UInt64,
        _ unsent: PendingRecord.Change,
        _ renewal: Renewal,
        _ held: HeldLease
    ) async throws -> any TokenCredential {
        let waiter = Waiter<any TokenCredential>()
        let task = Task.here { [self] in
            do {
                let renewed = try await renewal.refresh(spent)
                // A late result is still stored, unless another process has continued without it.
                if !waiter.resume(.success(renewed)) { await keep(renewed, number, renewal) }
            } catch {
                waiter.resume(.failure(error))
            }
        }
        defer { task.cancel() }
        do {
            return try await waiter.value(until: held.end, on: clock) {
                .failure(LeaseExpired())
            }
        } catch is LeaseExpired {
            throw Self.failure("the refresh took longer than its lease", isRetryable: true)
        } catch {
            if Self.isUnspent(error) {
                await undo(unsent, renewal, held)
            } else if clock.now < held.end, !(error is CancellationError) {
                // No request is running any more: the next process finds the intention and need not wait for the lease.
                await release(held.lease)
            }
            throw error
        }
    }

    /// Whether the server has certainly not exchanged the refresh token.
    private static func isUnspent(_ error: any Error) -> Bool {
        guard let failure = NetworkError.wrapping(error, node: "TokenNode") else { return false }
        return failure.isSafeToResend || failure.refusal.map { (400..<500).contains($0.status) } ?? false
    }

    /// Withdraws the intention, then releases the lease: nothing was sent, or the server refused it.
    private func undo(_ unsent: PendingRecord.Change, _ renewal: Renewal, _ held: HeldLease) async {
        state.withLock { $0.rules.noteUnsent(held.lease.number) }
        do {
            try await store(unsent, of: renewal.user)
            await release(held.lease)
        } catch {
            noteDelay("the other processes do not know yet that nothing was sent", error, of: renewal.user)
        }
    }

    /// Stores the new credential for all processes.
    ///
    /// - Returns: The credential, or a newer one: from a login, or from a process that considered this refresh lost.
    private func stored(
        _ renewed: any TokenCredential,
        _ number: UInt64,
        over version: UInt64,
        _ renewal: Renewal,
        _ held: HeldLease
    ) async throws -> any TokenCredential {
        guard let content = try? coding.encode(renewed) else {
            note(.abandoned, "the renewed credential cannot be encoded, so the other processes do not get it")
            return renewed
        }
        let record = CredentialRecord(.current, number, credential: content)
        var version = version
        do {
            for _ in 0..<3 {
                if try await write(record, renewal.key, over: version) != nil {
                    learn(record, renewal)
                    await release(held.lease)
                    return renewed
                }
                let found = try await readRecord(renewal.key)
                if let found, found.record.number >= number {
                    learn(found.record, renewal)
                    await release(held.lease)
                    guard found.record.state != .ended else { throw LoginEndedElsewhere() }
                    return try credential(of: found.record) ?? renewed
                }
                version = found?.version ?? 0
            }
        } catch is SharedStoreError {
            // Handled below: the credential must not be lost.
        }
        learn(record, renewal)
        if await keep(renewed, number, renewal) { await release(held.lease) }
        return renewed
    }

    /// The record that was read has changed since.
    struct OutOfDate: Error {}

    /// The lease ended before the server responded.
    private struct LeaseExpired: Error {}
}
