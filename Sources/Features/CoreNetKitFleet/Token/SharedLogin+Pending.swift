import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

// MARK: - Pending changes

extension SharedLogin {
    func publish(_ credential: (any TokenCredential)?, of user: Partition) async {
        _ = enter(user)
        state.withLock { $0.session += 1 }
        let content: Data?
        do {
            content = try credential.map(coding.encode)
        } catch {
            return note(.abandoned, "a login cannot be shared: \(type(of: error))")
        }
        do {
            try await store(.session(content), of: user)
        } catch {
            noteDelay("a \(credential == nil ? "logout" : "login") is not known to the others yet", error, of: user)
        }
    }

    /// Starts watching a user's login.
    ///
    /// - Returns: The session of this process.
    func enter(_ user: Partition) -> Int {
        let (former, session) = state.withLock { ($0.enter(user), $0.session) }
        if let former { settings.lossMonitor.end(self, key(of: former)) }
        settings.lossMonitor.begin(self, key(of: user))
        return session
    }

    /// Stores a change now, or later if the store is unavailable.
    ///
    /// - Parameters:
    ///   - change: The change to store.
    ///   - user: The user of the login.
    ///   - session: The session in which the change began, if a later login supersedes it.
    /// - Throws: The error that prevented storing it now.
    func store(_ change: PendingRecord.Change, of user: Partition, in session: Int? = nil) async throws {
        state.withLock { state in
            guard session == nil || session == state.session else { return }
            guard let change = change.following(state.pending[user]?.change) else { return }
            state.lastPending += 1
            state.pending[user] = PendingRecord(change: change, id: state.lastPending)
        }
        try await storePending(of: user)
    }

    /// Stores the pending changes one after the other.
    ///
    /// - Throws: The error that left a change of this user pending; it is retried.
    func storePending(of user: Partition) async throws {
        guard state.withLock({ !$0.pending.isEmpty }) else { return }
        let outcome = Waiter<Void>()
        let task = state.withLock { state in
            let previous = state.lastStoreTask
            let task = Task<Void, Never>.beside { [self] in
                await previous?.value
                var failure: (any Error)?
                let all = self.state.withLock { $0.pending }
                for (one, pending) in all where one == user || !pending.isGivenUp {
                    do {
                        try await storeNow(of: one)
                    } catch {
                        // A failure for one user does not block the others.
                        if one == user { failure = error }
                    }
                }
                outcome.resume(failure.map { .failure($0) } ?? .success(()))
            }
            state.lastStoreTask = task
            return task
        }
        await task.value
        tryAgain()
        try await outcome.value()
    }

    private func storeNow(of user: Partition) async throws {
        // Each repetition means that another process wrote first.
        for _ in 0..<100 {
            guard let pending = state.withLock({ $0.pending[user] }) else { return }
            do {
                try await store(pending, of: user)
            } catch {
                refused(pending, of: user, error)
                throw error
            }
        }
        throw SharedStoreError(.refused, "the record of a login changes all the time")
    }

    private func store(_ pending: PendingRecord, of user: Partition) async throws {
        let key = key(of: user)
        let value = try await store.read(key)
        let number = value.flatMap { CredentialRecord.number(of: $0.bytes) }
        // A login overwrites even a record that cannot be opened; a renewal needs only its number.
        let found = value.flatMap { try? CredentialRecord($0.bytes, openedBy: settings.sealing, at: key) }
        let rules = state.withLock { $0.user == user ? $0.rules : LoginRules() }
        let version = value?.version ?? 0
        guard let record = pending.record(over: found, version: version, number: number, rules, Date()) else {
            return forget(pending, of: user, nil)
        }
        guard try await write(record, key, over: version) != nil else { return }
        forget(pending, of: user, record)
        if case .known = pending.change { note(.restored, "the store had lost a login, and was told again") }
    }

    private func refused(_ pending: PendingRecord, of user: Partition, _ error: any Error) {
        let isGivenUp = state.withLock { state in
            // A newer change has not been refused.
            guard state.pending[user]?.id == pending.id else { return false }
            return state.pending[user]?.refuse(error, at: clock.now) ?? false
        }
        guard isGivenUp else { return }
        let reason = (error as? SealingError).map { ": \($0.message)" } ?? ""
        note(.abandoned, "the others do not learn of a login, or of its end\(reason)", error as? SharedStoreError)
    }

    /// Reports a delay, unless the change was already reported as given up.
    func noteDelay(_ message: String, _ error: any Error, of user: Partition) {
        guard state.withLock({ $0.pending[user]?.isGivenUp != true }) else { return }
        note(.delayed, message, error as? SharedStoreError)
    }

    private func forget(_ pending: PendingRecord, of user: Partition, _ record: CredentialRecord?) {
        state.withLock { state in
            if state.pending[user]?.id == pending.id { state.pending[user] = nil }
            guard state.user == user else { return }
            let hasRestored = if case .known = pending.change { record != nil } else { false }
            if state.isUncompared || hasRestored { (state.isUncompared, state.forgottenAt) = (false, clock.now) }
            if let record { state.rules.learn(record) }
        }
    }

    /// Restores a login to a store that may have lost it, now or later.
    func restore(_ key: SharedKey) async {
        let user = state.withLock { $0.rules.last == nil ? nil : $0.user }
        guard let user, self.key(of: user) == key else { return }
        // A failure leaves the change pending, and it is retried.
        try? await store(.known, of: user)
    }

    /// One task retries with growing pauses while any change can still be stored.
    private func tryAgain() {
        state.withLock { state in
            guard state.retries == nil, state.hasWork else { return }
            state.retries = Task.detached { [self] in
                var pause = Duration.milliseconds(100)
                while continuesRetrying() {
                    guard (try? await clock.sleep(until: clock.time(after: pause))) != nil else { return }
                    pause = min(pause * 2, longestPause)
                    for (user, pending) in self.state.withLock({ $0.pending }) where !pending.isGivenUp {
                        try? await storePending(of: user)
                    }
                }
            }
        }
    }

    /// Shorter while a restored record is pending, because other processes may be waiting for it.
    private var longestPause: Duration {
        state.withLock { state in
            let isAwaited = state.pending.values.contains { pending in
                if case .known = pending.change { pending.refusedSince == nil } else { false }
            }
            return isAwaited ? .milliseconds(500) : .seconds(5)
        }
    }

    private func continuesRetrying() -> Bool {
        state.withLock { state in
            if !state.hasWork { state.retries = nil }
            return state.retries != nil
        }
    }
}
