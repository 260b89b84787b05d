import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem

/// One refresher's login, shared by a fleet: reads it, renews it in one process, and publishes logins and logouts.
final class SharedLogin: CredentialSharing {
    /// The stored record and its version.
    typealias FoundRecord = (record: CredentialRecord, version: UInt64)

    struct State: Sendable {
        var rules = LoginRules()
        /// The user that the rules apply to.
        var user: Partition?
        /// Grows with each login and logout of this process, so that results of earlier sessions can be recognized.
        var session = 0
        /// Whether a refresh may be in progress at the server; it ends with its lease, not earlier.
        var isSending = false
        /// The changes to store as soon as possible, by user: only the last one for each.
        var pending: [Partition: PendingRecord] = [:]
        var lastPending = 0
        /// The last of the tasks that store changes one after the other.
        var lastStoreTask: Task<(any Error)?, Never>?
        /// Retries changes that could not be stored.
        var retries: Task<Void, Never>?
        /// Whether the store may have lost data and has not been compared with this process's records since.
        var isUncompared = false
        /// When the store was last seen without a record that it had, or may have had.
        var forgottenAt: Duration?

        /// Whether a change is to be retried automatically.
        var hasWork: Bool { pending.values.contains { !$0.isGivenUp } }

        /// Switches to another user and returns the previous one.
        mutating func enter(_ user: Partition) -> Partition? {
            guard self.user != user else { return nil }
            defer { self.user = user }
            rules.forget()
            (isUncompared, forgottenAt) = (false, nil)
            return self.user
        }
    }

    let settings: SharedCredentials
    let coding: CredentialCoding
    let state = Locked(State())
    let problem: String?
    private let origins: String

    init(_ settings: SharedCredentials, _ coding: CredentialCoding, origins: String, problem: String?) {
        (self.settings, self.coding, self.origins, self.problem) = (settings, coding, origins, problem)
    }

    deinit { if let user = state.withLock(\.user) { settings.lossMonitor.end(nil, key(of: user)) } }

    var store: any SharedStore { settings.store }
    var isSending: Bool { state.withLock { $0.isSending } }
    var clock: CallClock { settings.clock }

    static let kind = "token"

    func key(of user: Partition) -> SharedKey {
        SharedKey(kind: Self.kind, parts: [settings.name, origins, user.name])
    }

    func readRecord(_ key: SharedKey) async throws -> FoundRecord? {
        guard let value = try await recordingWait({ try await store.read(key) }) else { return nil }
        return (try CredentialRecord(value.bytes, openedBy: settings.sealing, at: key), value.version)
    }

    func credential(of record: CredentialRecord) throws -> (any TokenCredential)? {
        guard !record.credential.isEmpty else { return nil }
        do { return try coding.decode(record.credential) } catch {
            throw SealingError(.malformed, "it does not have this refresher's type: another version wrote it")
        }
    }

    /// Stores a record if the stored version is still the one that was read.
    func write(_ record: CredentialRecord, _ key: SharedKey, ifVersion version: UInt64) async throws -> UInt64? {
        let bytes = try record.sealed(by: settings.sealing, at: key)
        return try await recordingWait { try await store.write(key, bytes, ifVersion: version, for: settings.life) }
    }

    /// Calls the store, and records the time as a separate wait of the call that needs the renewal.
    func recordingWait<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        guard let context = TokenRefresher.leader else { return try await body() }
        return try await context.waiting(for: .init(.store), body)
    }

    func note(_ kind: FleetEvent.Kind, _ message: String, _ cause: SharedStoreError? = nil) {
        settings.events(FleetEvent(.tokens, kind, message, cause: cause))
    }

    static func failure(_ message: String, cause: (any Error)? = nil, isRetryable: Bool = false) -> NetworkError {
        var failure = NetworkError(.tokenRefreshFailed, message, node: "TokenNode", cause: cause)
        (failure.isRetryable, failure.isSafeToResend) = (isRetryable, true)
        return failure
    }
}

// MARK: - Data loss in the store

extension SharedLogin {
    /// How long a process may take to notice a lost connection, reconnect and restore its records.
    private static let reconnection = Duration.seconds(3)

    /// Whether to wait for the lease of any refresh in progress, and for other processes to restore their records: one
    /// may be sending, or know of, a credential that the store has lost.
    func mustWait(after verdict: LoginRules.Verdict) -> Bool {
        guard settings.afterLostRefresh == .endSession else { return false }
        let now = clock.now
        return state.withLock { state in
            if verdict == .forgotten { state.forgottenAt = now }
            let end = state.forgottenAt.map { $0 + settings.lease + Self.reconnection }
            return state.isUncompared || end.map { now < $0 } ?? false
        }
    }

    /// Notes a lost connection: the next one may reach a store that lacks data.
    func noteLoss() { state.withLock { if $0.rules.last != nil { $0.isUncompared = true } } }

    /// Restores a login to a store that may have lost it, now or later.
    func restore(_ key: SharedKey) async {
        let user = state.withLock { $0.rules.last == nil ? nil : $0.user }
        guard let user, self.key(of: user) == key else { return }
        // A failure leaves the change pending, and it is retried.
        try? await store(.known, of: user)
    }
}

// MARK: - Pending changes

extension SharedLogin {
    func publish(_ credential: (any TokenCredential)?, of user: Partition) async {
        _ = enter(user)
        state.withLock { $0.session += 1 }
        let content: Data?
        do { content = try credential.map(coding.encode) } catch {
            return note(.abandoned, "a login cannot be shared: \(type(of: error))")
        }
        do { try await store(.session(content), of: user) } catch {
            noteDelay("a \(credential == nil ? "logout" : "login") is not known to the others yet", error, of: user)
        }
    }

    /// Starts watching a user's login; returns the session of this process.
    func enter(_ user: Partition) -> Int {
        let (former, session) = state.withLock { ($0.enter(user), $0.session) }
        if let former { settings.lossMonitor.end(self, key(of: former)) }
        settings.lossMonitor.begin(self, key(of: user))
        return session
    }

    /// Stores a change now, or later if that fails, which it throws; not if a later session has begun than the given one.
    func store(_ change: PendingRecord.Change, of user: Partition, in session: Int? = nil) async throws {
        state.withLock { state in
            guard session == nil || session == state.session else { return }
            guard let change = change.following(state.pending[user]?.change) else { return }
            state.lastPending += 1
            state.pending[user] = PendingRecord(change: change, id: state.lastPending)
        }
        try await storePending(of: user)
    }

    /// Stores the pending changes one after the other; throws the error that left a change of this user pending.
    func storePending(of user: Partition) async throws {
        guard state.withLock({ !$0.pending.isEmpty }) else { return }
        let task = state.withLock { state in
            let previous = state.lastStoreTask
            let task = Task<(any Error)?, Never>.startSeparately { [self] in
                _ = await previous?.value
                var failure: (any Error)?
                let all = self.state.withLock { $0.pending }
                for (one, pending) in all where one == user || !pending.isGivenUp {
                    do { try await storeNow(of: one) } catch {
                        // A failure for one user does not block the others.
                        if one == user { failure = error }
                    }
                }
                return failure
            }
            state.lastStoreTask = task
            return task
        }
        let failure = await task.value
        tryAgain()
        if let failure { throw failure }
    }

    private func storeNow(of user: Partition) async throws {
        // Each repetition means that another process wrote first.
        for _ in 0..<100 {
            guard let pending = state.withLock({ $0.pending[user] }) else { return }
            do { try await store(pending, of: user) } catch {
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
        guard try await write(record, key, ifVersion: version) != nil else { return }
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
