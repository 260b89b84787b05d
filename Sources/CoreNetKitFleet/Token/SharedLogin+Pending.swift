import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

// MARK: - What is to be stored

extension SharedLogin {
    func tell(_ credential: (any TokenCredential)?, of user: Partition) async {
        do {
            try await store(.session(try credential.map(coding.encode)), of: user)
        } catch let error as SharedStoreError {
            note(.delayed, "a \(credential == nil ? "logout" : "login") is not known to the others yet", error)
        } catch {
            note(.delayed, "a login cannot be shared: \(type(of: error))")
        }
    }

    /// Stores something now, or later where the store is away.
    ///
    /// - Throws: Why it is not stored yet.
    func store(_ change: PendingRecord.Change, of user: Partition) async throws {
        settings.losses.begin(self, key(of: user))
        state.withLock { state in
            guard let change = change.following(state.pending[user]?.change) else { return }
            state.lastPending += 1
            state.pending[user] = PendingRecord(change: change, id: state.lastPending)
        }
        try await storePending()
    }

    /// Stores what is still to be stored, one after the other.
    ///
    /// - Throws: Why something is left; it is tried again.
    func storePending() async throws {
        guard state.withLock({ !$0.pending.isEmpty }) else { return }
        let outcome = Waiter<Void>()
        let task = state.withLock { state in
            let previous = state.line
            let task = Task<Void, Never>.beside { [self] in
                await previous?.value
                do {
                    for (user, _) in self.state.withLock({ $0.pending }) { try await storePending(of: user) }
                    outcome.resume(.success(()))
                } catch {
                    outcome.resume(.failure(error))
                }
            }
            state.line = task
            return task
        }
        await task.value
        do {
            try await outcome.value()
        } catch {
            tryAgain()
            throw error
        }
    }

    private func storePending(of user: Partition) async throws {
        let key = key(of: user)
        // Each round somebody else was faster.
        for _ in 0..<100 {
            guard let pending = state.withLock({ $0.pending[user] }) else { return }
            let value = try await store.read(key)
            let number = value.map { CredentialRecord.number(of: $0.bytes) } ?? 0
            // A login goes over what cannot be opened, too; a renewal asks for its number alone.
            let found = value.flatMap { try? CredentialRecord($0.bytes, openedBy: settings.sealing, at: key) }
            let rules = state.withLock { $0.user == user ? $0.rules : LoginRules() }
            guard let record = pending.record(over: found, number: number, rules) else {
                forget(pending, of: user, nil)
                continue
            }
            if try await write(record, key, over: value?.version ?? 0) != nil {
                forget(pending, of: user, record)
                if case .known = pending.change { note(.restored, "the store had lost a login, and was told again") }
            }
        }
        throw SharedStoreError(.refused, "the record of a login changes all the time")
    }

    private func forget(_ pending: PendingRecord, of user: Partition, _ record: CredentialRecord?) {
        state.withLock { state in
            if state.pending[user]?.id == pending.id { state.pending[user] = nil }
            guard let record else { return }
            if state.user != user {
                state.rules.forget()
                state.user = user
            }
            state.rules.learn(record)
        }
    }

    /// Tells a store that may have lost it what this process knows of a login, now or later.
    func restore(_ key: SharedKey) async {
        let user = state.withLock { $0.rules.last == nil ? nil : $0.user }
        guard let user, self.key(of: user) == key else { return }
        // Where it fails it is tried again.
        try? await store(.known, of: user)
    }

    /// One task tries again, with growing pauses, until nothing is left.
    private func tryAgain() {
        state.withLock { state in
            guard state.retries == nil else { return }
            state.retries = Task.detached { [self] in
                var pause = Duration.milliseconds(100)
                while goesOn() {
                    guard (try? await clock.sleep(until: clock.time(after: pause))) != nil else { return }
                    pause = min(pause * 2, .seconds(5))
                    try? await storePending()
                }
            }
        }
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            if state.pending.isEmpty { state.retries = nil }
            return state.retries != nil
        }
    }
}
