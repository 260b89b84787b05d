import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

/// The login of one refresher as a fleet has it: reads it, renews it in one process, tells of logins and logouts.
final class SharedLogin: CredentialSharing {
    /// What one look at the store shows.
    struct Found {
        let record: CredentialRecord
        let version: UInt64
    }

    struct State: Sendable {
        var rules = LoginRules()
        /// Whose login the rules are about.
        var user: Partition?
        /// Grows with each login and logout of this process: what was begun before belongs to another one.
        var session = 0
        /// Whether a refresh may be under way at the server: it ends with its lease, not before.
        var isSending = false
        /// What is to be stored as soon as that can be done, by user: the last of each counts.
        var pending: [Partition: PendingRecord] = [:]
        var lastPending = 0
        /// Stores one after the other.
        var line: Task<Void, Never>?
        /// Tries again what could not be stored.
        var retries: Task<Void, Never>?
        /// Whether the store may have lost something, and has not been compared with what this process knows since then.
        var isUncompared = false
        /// When it was last seen that the store does not have what it had, or may not have it.
        var forgottenAt: Duration?

        /// Whether something is to be tried again without being asked for.
        var hasWork: Bool { pending.values.contains { !$0.isGivenUp } }

        /// Begins with another user; returns the one before.
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

    deinit {
        if let user = state.withLock({ $0.user }) { settings.losses.end(nil, key(of: user)) }
    }

    var store: any SharedStore { settings.store }
    var isSending: Bool { state.withLock { $0.isSending } }
    var clock: CallClock { settings.clock }

    static let kind = "token"

    /// A digest of the name space, the origins and the user; each with its length, so that no two names run together.
    func key(of user: Partition) -> SharedKey {
        let parts = [settings.name, origins, user.name]
        return SharedKey(kind: Self.kind, parts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    /// What is stored.
    func look(_ key: SharedKey) async throws -> Found? {
        guard let value = try await asking({ try await store.read(key) }) else { return nil }
        let record = try CredentialRecord(value.bytes, openedBy: settings.sealing, at: key)
        return Found(record: record, version: value.version)
    }

    /// Stores a record where what is there is what was seen.
    func write(_ record: CredentialRecord, _ key: SharedKey, over version: UInt64) async throws -> UInt64? {
        let bytes = try record.sealed(by: settings.sealing, at: key)
        return try await asking { try await store.write(key, bytes, over: version, for: settings.life) }
    }

    /// Asks the store: the call that the renewal works for has that as a wait of its own.
    func asking<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        guard let context = RefreshLeader.context else { return try await body() }
        return try await context.waiting(for: .init(.store), body)
    }

    func note(_ kind: FleetEvent.Kind, _ message: String, _ cause: SharedStoreError? = nil) {
        settings.events(FleetEvent(.tokens, kind, message, cause: cause))
    }

    static func failure(_ message: String, cause: (any Error)? = nil, isRetryable: Bool = false) -> NetworkError {
        var failure = NetworkError(.tokenRefreshFailed, message, node: "TokenNode", cause: cause)
        failure.isRetryable = isRetryable
        failure.isSafeToResend = true
        return failure
    }
}
