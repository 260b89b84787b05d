import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

/// One refresher's login, shared by a fleet: reads it, renews it in one process, and publishes logins and logouts.
final class SharedLogin: CredentialSharing {
    /// The stored record and its version.
    struct FoundRecord {
        let record: CredentialRecord
        let version: UInt64
    }

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
        var lastStoreTask: Task<Void, Never>?
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

    deinit {
        if let user = state.withLock({ $0.user }) { settings.lossMonitor.end(nil, key(of: user)) }
    }

    var store: any SharedStore { settings.store }
    var isSending: Bool { state.withLock { $0.isSending } }
    var clock: CallClock { settings.clock }

    static let kind = "token"

    /// A digest of the namespace, the origins and the user, each with its length, so that no two combinations collide.
    func key(of user: Partition) -> SharedKey {
        let parts = [settings.name, origins, user.name]
        return SharedKey(kind: Self.kind, parts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    /// Reads the stored record.
    func readRecord(_ key: SharedKey) async throws -> FoundRecord? {
        guard let value = try await recordingWait({ try await store.read(key) }) else { return nil }
        let record = try CredentialRecord(value.bytes, openedBy: settings.sealing, at: key)
        return FoundRecord(record: record, version: value.version)
    }

    /// Stores a record if the stored version is still the one that was read.
    func write(_ record: CredentialRecord, _ key: SharedKey, over version: UInt64) async throws -> UInt64? {
        let bytes = try record.sealed(by: settings.sealing, at: key)
        return try await recordingWait { try await store.write(key, bytes, over: version, for: settings.life) }
    }

    /// Calls the store, and records the time as a separate wait of the call that needs the renewal.
    func recordingWait<Value>(_ body: () async throws -> Value) async rethrows -> Value {
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
