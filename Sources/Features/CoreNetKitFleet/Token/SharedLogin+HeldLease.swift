import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSystem

extension SharedLogin {
    /// The lease of the process that refreshes, and the refresh itself.
    struct HeldLease {
        let renewal: Renewal
        let lease: SharedLease
        let requested: Duration

        private var login: SharedLogin { renewal.login }
        private var clock: CallClock { login.clock }
        private var end: Duration { requested + login.settings.lease }

        /// The latest start of the request: more than half of the lease must be left.
        var lastStart: Duration { requested + login.settings.lease / 2 }

        /// Whether the intention under this lease was withdrawn; a second one under it would look withdrawn, too.
        var isUnsent: Bool { login.state.withLock { $0.rules.isUnsent(lease: lease.fencingToken) } }

        /// Releases the lease, now or later.
        func release() async {
            let end = clock.time(after: login.settings.lease)
            await login.recordingWait { await login.store.releaseReliably(lease, before: end, on: clock) }
        }

        /// The stored credential, if the previous holder has just stored its result, or a new one; `nil` if the record
        /// that was read is out of date.
        func renew() async throws -> (any TokenCredential)? {
            let found = try await login.readRecord(renewal.key)
            guard let newer = try renewal.newerCredential(in: found, hasLease: true) else {
                return try await spend(found)
            }
            await release()
            return newer
        }

        /// Records the intention, spends the refresh token, and stores the result.
        private func spend(_ found: FoundRecord?) async throws -> (any TokenCredential)? {
            let known = try found.flatMap { try login.credential(of: $0.record) }
            let verdict = renewal.verdict(found, known, hasLease: true)
            let mustWait = login.mustWait(after: verdict)
            if verdict == .forgotten { try await login.store(.known, of: renewal.user) }
            guard !mustWait, verdict != .forgotten else {
                await release()
                return nil
            }
            if verdict == .lost, try await !resolveLostRefresh(found) {
                await release()
                return nil
            }
            let spent = verdict == .spend(stored: false) ? renewal.current : known ?? renewal.current
            let number = max(found?.record.number ?? 0, login.state.withLock { $0.rules.known })
            let content: Data
            do { content = try spent.map(login.coding.encode) ?? Data() } catch {
                await release()
                throw error
            }
            let intention = CredentialRecord(.intention, number, lease: lease.fencingToken, credential: content)
            let seen = found?.version ?? 0
            let unsent = PendingRecord.Change.unsent(intention, over: seen)
            guard let version = try await announce(intention, over: seen, unsent) else { return nil }
            renewal.learn(intention)
            login.state.withLock { $0.isSending = true }
            defer { login.state.withLock { $0.isSending = false } }
            let renewed = try await send(spent, number + 1, unsent)
            return try await share(renewed, number + 1, over: version)
        }

        /// Tells the other processes which credential is about to be spent; returns the version of the stored
        /// intention, `nil` if the credential must not be spent, after cleaning up.
        private func announce(
            _ intention: CredentialRecord,
            over seen: UInt64,
            _ unsent: PendingRecord.Change
        ) async throws -> UInt64? {
            let version: UInt64?
            do { version = try await login.write(intention, renewal.key, ifVersion: seen) } catch {
                // The write may have succeeded, or may still arrive.
                await withdraw(unsent)
                throw error
            }
            guard let version else {
                await release()
                return nil
            }
            guard clock.now < lastStart else {
                await withdraw(unsent)
                return nil
            }
            return version
        }

        /// Handles a refresh of a process that is gone; returns whether the token may be spent again, `false` if the record
        /// that was read is out of date.
        ///
        /// The end of the session is reported only after it is stored: a late process may still have stored its result, and
        /// then the session continues.
        private func resolveLostRefresh(_ found: FoundRecord?) async throws -> Bool {
            guard login.settings.afterLostRefresh == .endSession else {
                login.note(.lostRefresh, "the outcome of a refresh is unknown; the refresh token is spent again")
                return true
            }
            let number = login.state.withLock { $0.rules.next(over: found?.record.number ?? 0) }
            let end = CredentialRecord(.ended, number)
            do {
                // Only over the version that was read.
                guard try await login.write(end, renewal.key, ifVersion: found?.version ?? 0) != nil else {
                    return false
                }
            } catch let error as SharedStoreError where error.mayBeDone {
                let message = "the outcome of a refresh is unknown; the session ends, if the store wrote that"
                login.note(.lostRefresh, message, error)
                throw error
            }
            login.note(.lostRefresh, "the outcome of a refresh is unknown; the session ends")
            renewal.learn(end)
            throw LoginEndedElsewhere()
        }

        /// Sends the request, and waits no longer than the lease lasts.
        private func send(
            _ spent: (any TokenCredential)?,
            _ number: UInt64,
            _ unsent: PendingRecord.Change
        ) async throws -> any TokenCredential {
            // `nil` means that the lease has ended.
            let waiter = Waiter<(any TokenCredential)?>()
            let task = Task.startImmediately { [self] in
                do {
                    let renewed = try await renewal.refresh(spent)
                    // A late result is still stored, unless another process has continued without it.
                    if !waiter.resume(.success(renewed)) { await renewal.keep(renewed, number) }
                } catch {
                    waiter.resume(.failure(error))
                }
            }
            defer { task.cancel() }
            let renewed: (any TokenCredential)?
            do {
                renewed = try await waiter.value(until: end, on: clock) { .success(nil) }
            } catch {
                if Self.isUnspent(error) {
                    await withdraw(unsent)
                } else if clock.now < end, !(error is CancellationError) {
                    // No request is running any more: the next process finds the intention and need not wait for the lease.
                    await release()
                }
                throw error
            }
            guard let renewed else {
                throw SharedLogin.failure("the refresh took longer than its lease", isRetryable: true)
            }
            return renewed
        }

        /// Whether the server has certainly not exchanged the refresh token.
        private static func isUnspent(_ error: any Error) -> Bool {
            guard let failure = NetworkError.wrapping(error, node: "TokenNode") else { return false }
            return failure.isSafeToResend || failure.refusal.map { (400..<500).contains($0.status) } ?? false
        }

        /// Withdraws the intention, then releases the lease: nothing was sent, or the server refused it.
        private func withdraw(_ unsent: PendingRecord.Change) async {
            login.state.withLock { $0.rules.noteUnsent(lease.fencingToken) }
            do {
                try await login.store(unsent, of: renewal.user)
                await release()
            } catch {
                login.noteDelay("the other processes do not know yet that nothing was sent", error, of: renewal.user)
            }
        }

        /// Stores the new credential for all processes; returns it, or a newer one: from a login, or from a process that
        /// considered this refresh lost.
        private func share(
            _ renewed: any TokenCredential,
            _ number: UInt64,
            over version: UInt64
        ) async throws -> any TokenCredential {
            guard let content = try? login.coding.encode(renewed) else {
                login.note(.abandoned, "the renewed credential cannot be encoded, so the other processes do not get it")
                return renewed
            }
            let record = CredentialRecord(.current, number, credential: content)
            var version = version
            do {
                for _ in 0..<3 {
                    if try await login.write(record, renewal.key, ifVersion: version) != nil {
                        renewal.learn(record)
                        await release()
                        return renewed
                    }
                    let found = try await login.readRecord(renewal.key)
                    if let found, found.record.number >= number {
                        renewal.learn(found.record)
                        await release()
                        guard found.record.state != .ended else { throw LoginEndedElsewhere() }
                        return try login.credential(of: found.record) ?? renewed
                    }
                    version = found?.version ?? 0
                }
            } catch is SharedStoreError {}
            // The credential must not be lost.
            renewal.learn(record)
            if await renewal.keep(renewed, number) { await release() }
            return renewed
        }
    }
}
