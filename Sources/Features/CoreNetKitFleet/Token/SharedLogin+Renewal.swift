import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSystem

extension SharedLogin {
    func renew(
        _ current: (any TokenCredential)?,
        of user: Partition,
        date: @escaping @Sendable () -> Date,
        by refresh: @escaping Refresh
    ) async throws -> any TokenCredential {
        let (session, key) = (enter(user), key(of: user))
        do {
            return try await Renewal(
                login: self,
                user: user,
                key: key,
                session: session,
                current: current,
                date: date,
                refresh: refresh
            )
            .run()
        } catch let error as SealingError {
            throw Self.failure("the shared credential cannot be opened: \(error.message)", cause: error)
        }
    }

    struct Renewal {
        let login: SharedLogin
        let user: Partition
        let key: SharedKey
        /// The session of this process in which the renewal began.
        let session: Int
        let current: (any TokenCredential)?
        let date: @Sendable () -> Date
        let refresh: CredentialSharing.Refresh

        var clock: CallClock { login.clock }
    }
}

extension SharedLogin.Renewal {
    /// How long a store may fail before the renewal continues without it, or fails.
    private static let tolerance = Duration.seconds(1)

    /// Repeats until there is a new credential, or the store has been unavailable for too long.
    fileprivate func run() async throws -> any TokenCredential {
        var (pause, held) = (Duration.milliseconds(10), SharedLogin.HeldLease?.none)
        var failingSince: Duration?
        while true {
            do {
                try await login.storePending(of: user)
                if let renewed = try await attempt(&held) { return renewed }
                failingSince = nil
            } catch let error as SharedStoreError {
                if error.code == .cancelled {
                    await held?.release()
                    throw CancellationError()
                }
                let since = failingSince ?? clock.now
                failingSince = since
                // One slow reply does not mean that the store is unavailable, and refreshes are rare enough to wait.
                let isTransient =
                    error.isUnavailable
                    && (error.code != .unavailable || login.settings.afterLostRefresh == .endSession)
                guard isTransient, clock.now - since < Self.tolerance else {
                    await held?.release()
                    return try await renewWithoutStore(error)
                }
            }
            do { try await clock.sleep(until: clock.time(after: pause)) } catch {
                await held?.release()
                throw error
            }
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Reads the store once and tries once to become the process that refreshes, `nil` if another one is, or if the
    /// record is out of date; the lease is kept while the store fails.
    private func attempt(_ held: inout SharedLogin.HeldLease?) async throws -> (any TokenCredential)? {
        if let unusable = held, clock.now >= unusable.lastStart || unusable.isUnsent {
            held = nil
            await unusable.release()
        }
        if held == nil {
            if let newer = try newerCredential(in: try await login.readRecord(key), hasLease: false) { return newer }
            // Measured before the request, so that the lease lasts at least as long in the store.
            let requested = clock.now
            let lease = try await login.recordingWait { try await login.store.lease(key, for: login.settings.lease) }
            guard let lease else { return nil }
            held = SharedLogin.HeldLease(renewal: self, lease: lease, requested: requested)
        }
        guard let heldLease = held else { return nil }
        do {
            let renewed = try await heldLease.renew()
            held = nil
            return renewed
        } catch  where error is LoginEndedElsewhere || error is SealingError {
            await heldLease.release()
            throw error
        }
    }

    /// The stored credential, if it is newer than that of this process.
    func newerCredential(in found: SharedLogin.FoundRecord?, hasLease: Bool) throws -> (any TokenCredential)? {
        let stored = try found.flatMap { try login.credential(of: $0.record) }
        switch verdict(found, stored, hasLease: hasLease) {
        case .take:
            if let found { learn(found.record) }
            return stored
        case .ended:
            if let found { learn(found.record) }
            throw LoginEndedElsewhere()
        case .spend, .lost, .forgotten: return nil
        }
    }

    func verdict(
        _ found: SharedLogin.FoundRecord?,
        _ stored: (any TokenCredential)?,
        hasLease: Bool
    ) -> LoginRules.Verdict {
        let rules = login.state.withLock(\.rules)
        let (stored, current) = (stored?.accessToken, current?.accessToken)
        return rules.verdict(on: found?.record, stored: stored, current: current, now: date(), hasLease: hasLease)
    }

    /// Remembers a record unless a later login has started another session with records of its own.
    func learn(_ record: CredentialRecord) {
        login.state.withLock { state in
            if state.user == user, state.session == session { state.rules.learn(record) }
        }
    }

    /// Stores the result of a refresh, now or later; returns whether it is stored.
    @discardableResult
    func keep(_ renewed: any TokenCredential, _ number: UInt64) async -> Bool {
        do {
            try await login.store(.renewal(try login.coding.encode(renewed), number: number), of: user, in: session)
            return true
        } catch {
            login.noteDelay("the other processes do not know the renewed credential yet", error, of: user)
            return false
        }
    }

    private func renewWithoutStore(_ error: SharedStoreError) async throws -> any TokenCredential {
        guard login.settings.afterLostRefresh == .spendAgain else {
            throw SharedLogin.failure(
                "the token is shared, and its store is unavailable, so another process may be renewing it: \(error)",
                cause: error,
                isRetryable: true
            )
        }
        login.note(.fallback, "the token is renewed by this process alone", error)
        let renewed = try await refresh(current)
        let credential = try login.coding.encode(renewed)
        let number = login.state.withLock { $0.rules.next(over: 0) }
        learn(CredentialRecord(.current, number, credential: credential))
        await keep(renewed, number)
        return renewed
    }
}
