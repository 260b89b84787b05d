import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

// MARK: - The one refresh

extension SharedLogin {
    /// The time of the process that refreshes.
    struct Turn {
        let lease: SharedLease
        /// When the lease was asked for.
        let asked: Duration
        let end: Duration

        /// Until when the request may begin: with more than half of the lease left.
        var lastStart: Duration { asked + (end - asked) / 2 }
    }

    /// Notes what is about to be spent, spends it, and stores what comes.
    ///
    /// - Returns: The new credential, `nil` where what was seen is out of date.
    func spend(_ found: Found?, _ renewal: Renewal, _ turn: Turn) async throws -> (any TokenCredential)? {
        let known = try found.flatMap { try credential(of: $0.record) }
        let verdict = verdict(found, known, renewal, hasLease: true)
        let isQuiet = isQuiet(verdict)
        if verdict == .forgotten { try await store(.known, of: renewal.user) }
        guard !isQuiet, verdict != .forgotten else {
            await release(turn.lease)
            return nil
        }
        if verdict == .lost { try await settle(found, renewal) }
        let spent = verdict == .spend(stored: false) ? renewal.current : known ?? renewal.current
        let number = max(found?.record.number ?? 0, state.withLock { $0.rules.known })
        let content: Data
        do {
            content = try spent.map(coding.encode) ?? Data()
        } catch {
            await release(turn.lease)
            throw error
        }
        let intention = CredentialRecord(.intention, number, lease: turn.lease.number, credential: content)
        let seen = found?.version ?? 0
        let unsent = PendingRecord.Change.unsent(intention, over: seen)
        guard let version = try await announce(intention, over: seen, unsent, renewal, turn) else { return nil }
        learn(intention, renewal)
        state.withLock { $0.isSending = true }
        defer { state.withLock { $0.isSending = false } }
        let renewed = try await sent(spent, number + 1, unsent, renewal, turn)
        return try await stored(renewed, number + 1, over: version, renewal, turn)
    }

    /// Tells the other processes what is about to be spent.
    ///
    /// - Returns: The version under which they see it; `nil` where it must not be spent, and nothing is left of it.
    private func announce(
        _ intention: CredentialRecord,
        over seen: UInt64,
        _ unsent: PendingRecord.Change,
        _ renewal: Renewal,
        _ turn: Turn
    ) async throws -> UInt64? {
        let version: UInt64?
        do {
            version = try await write(intention, renewal.key, over: seen)
        } catch {
            // It may be there all the same, or come later.
            await undo(unsent, renewal, turn)
            throw error
        }
        guard let version else {
            await release(turn.lease)
            return nil
        }
        guard clock.now < turn.lastStart else {
            await undo(unsent, renewal, turn)
            return nil
        }
        return version
    }

    /// A refresh was begun, and its process has gone.
    ///
    /// An end is told when it is stored: who was late may still have stored what it got, and then nothing ends.
    private func settle(_ found: Found?, _ renewal: Renewal) async throws {
        guard settings.afterLostRefresh == .endSession else {
            note(.lostRefresh, "the outcome of a refresh is unknown; the refresh token is spent again")
            return
        }
        let number = state.withLock { $0.rules.next(over: found?.record.number ?? 0) }
        let end = CredentialRecord(.ended, number)
        let version: UInt64?
        do {
            // Over what was seen alone.
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
        _ turn: Turn
    ) async throws -> any TokenCredential {
        let waiter = Waiter<any TokenCredential>()
        let task = Task.here { [self] in
            do {
                let renewed = try await renewal.refresh(spent)
                // What comes too late is not lost, unless somebody has gone on without it.
                if !waiter.resume(.success(renewed)) { await keep(renewed, number, renewal) }
            } catch {
                waiter.resume(.failure(error))
            }
        }
        defer { task.cancel() }
        do {
            return try await waiter.value(until: turn.end, on: clock) {
                .failure(CutOff())
            }
        } catch is CutOff {
            throw Self.failure("the refresh took longer than its lease", isRetryable: true)
        } catch {
            if Self.isUnspent(error) {
                await undo(unsent, renewal, turn)
            } else if clock.now < turn.end, !(error is CancellationError) {
                // Nothing runs any more: who comes next finds the intention, and need not wait.
                await release(turn.lease)
            }
            throw error
        }
    }

    /// Whether the server certainly has not exchanged the refresh token.
    private static func isUnspent(_ error: any Error) -> Bool {
        guard let failure = NetworkError.wrapping(error, node: "TokenNode") else { return false }
        return failure.isSafeToResend || failure.refusal.map { (400..<500).contains($0.status) } ?? false
    }

    /// Takes the intention back, then the lease: nothing was sent, or it was refused.
    private func undo(_ unsent: PendingRecord.Change, _ renewal: Renewal, _ turn: Turn) async {
        state.withLock { $0.rules.noteUnsent(turn.lease.number) }
        do {
            try await store(unsent, of: renewal.user)
            await release(turn.lease)
        } catch {
            noteDelay("the other processes do not know yet that nothing was sent", error, of: renewal.user)
        }
    }

    /// Stores the new credential for all.
    ///
    /// - Returns: It, or what has overtaken it: a login, or what a process got that took this one's for lost.
    private func stored(
        _ renewed: any TokenCredential,
        _ number: UInt64,
        over version: UInt64,
        _ renewal: Renewal,
        _ turn: Turn
    ) async throws -> any TokenCredential {
        guard let content = try? coding.encode(renewed) else {
            note(.givenUp, "the renewed credential cannot be encoded, so the other processes do not get it")
            return renewed
        }
        let record = CredentialRecord(.current, number, credential: content)
        var version = version
        do {
            for _ in 0..<3 {
                if try await write(record, renewal.key, over: version) != nil {
                    learn(record, renewal)
                    await release(turn.lease)
                    return renewed
                }
                let found = try await look(renewal.key)
                if let found, found.record.number >= number {
                    learn(found.record, renewal)
                    await release(turn.lease)
                    guard found.record.state != .ended else { throw LoginEndedElsewhere() }
                    return try credential(of: found.record) ?? renewed
                }
                version = found?.version ?? 0
            }
        } catch is SharedStoreError {
            // Below: it must not be lost.
        }
        learn(record, renewal)
        if await keep(renewed, number, renewal) { await release(turn.lease) }
        return renewed
    }

    /// What was seen is not there any more.
    struct OutOfDate: Error {}

    /// The lease was over before the server had responded.
    private struct CutOff: Error {}
}
