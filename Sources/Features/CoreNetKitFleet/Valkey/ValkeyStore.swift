import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// A store on a Valkey (7.2 or later) or Redis (6 or later) server, over one RESP3 connection.
///
/// ### Choose it
/// For several processes that act as one client. A standalone server, or one behind a name that a failover moves; a
/// cluster is rejected with a message that says so.
///
/// ### What it does
/// The connection is made for the first call, and again after it was lost. Calls are pipelined, and each ends within the
/// timeout. After three consecutive failures the store is skipped, see ``GuardedStore``: an unavailable server delays a
/// call by no more than its timeout, and soon not at all. A background probe notices within a second that it is back.
/// Each atomic change is one script of a few lines; times are the server's. Its clock must not be set back, because
/// values would expire later.
///
/// Docs/Fleet.md describes the eviction settings and rights that the server needs.
public final class ValkeyStore: SharedStore {
    /// The name and password of a server user.
    public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        /// Creates credentials; a server with `requirepass` and no further users has only the user `default`.
        public init(user: String = "default", password: String) { (self.user, self.password) = (user, password) }

        /// The user's name, without the password.
        public var description: String { "credentials of \(user)" }
        /// The description only.
        public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
    }

    /// The entries under one key; each adds its suffix to the key's text.
    enum Part: String {
        case value = "v"
        case removed = "r"
        case lease = "l"
        case number = "n"
        case bucket = "b"

        func of(_ key: SharedKey) -> String { key.text + rawValue }
    }

    private let connection: ValkeyConnection
    private let guarded: GuardedStore

    /// Creates a store; its connection is made with the first call.
    ///
    /// - Parameters:
    ///   - server: The address of the server.
    ///   - credentials: User and password, if the server requires them.
    ///   - name: The client's name in the server's list of clients; only visible ASCII is sent.
    ///   - timeout: The timeout of a call, at least a millisecond. A new connection may take longer, but calls do
    ///     not wait longer for it.
    ///   - clock: The clock for the timeout.
    public convenience init(
        _ server: Server,
        credentials: Credentials? = nil,
        name: String = "CoreNetKit",
        timeout: Duration = .milliseconds(20),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        let hello = RESPCommand.hello(credentials, name: name)
        self.init(ValkeyConnector(server), hello, timeout: timeout, clock: CallClock(clock))
    }

    init(_ connector: ValkeyConnector, _ hello: RESPCommand, timeout: Duration, clock: CallClock) {
        let timeout = max(timeout.bounded, .milliseconds(1))
        connection = ValkeyConnection(connector, hello, timeout: timeout, clock: clock)
        guarded = GuardedStore(ValkeyCommands(connection: connection), timeout: nil, on: clock)
        connection.watch(guarded)
    }

    /// Whether the store is backing off after failures.
    public var isUnavailable: Bool { guarded.isUnavailable }

    /// Reads a value.
    public func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? { try await guarded.read(key) }

    /// Writes a value if the current version is the expected one.
    public func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await guarded.write(key, bytes, ifVersion: version, for: timeToLive)
    }

    /// Removes a value.
    public func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await guarded.remove(key, ifVersion: version)
    }

    /// Takes a lease: no other owner gets one for the key until it is released or has expired.
    ///
    /// Its number is a server time in microseconds, or the last number plus one: it also grows across restarts and on
    /// another server, as long as their clocks agree.
    public func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease? {
        try await guarded.lease(key, for: timeToLive)
    }

    /// Releases a lease; a lease that has expired or belongs to another owner is left unchanged.
    public func release(_ lease: SharedLease) async throws(SharedStoreError) { try await guarded.release(lease) }

    /// Takes tokens from a bucket, all or none, by the server's clock.
    public func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try await guarded.takeTokens(tokens, from: bucket)
    }

    /// Reports values that were written, removed or have expired, by client tracking.
    ///
    /// While the stream is read, a lost connection is restored automatically, and ``SharedChange/all`` follows. The
    /// stream ends when the store is released, or if the server's user has no right to receive changes.
    public func changes(of kind: String) -> AsyncStream<SharedChange> { guarded.changes(of: kind) }
}

extension ValkeyStore {
    /// The address of a server.
    public enum Server: Sendable, Hashable {
        /// A host, by name or address, without encryption.
        case tcp(String, port: Int = 6379)
        /// A host, by name or address, with TLS: certificate and name are checked.
        case tls(String, port: Int = 6379, TLS = TLS())
        /// The path of a Unix domain socket.
        case unix(String)
    }

    /// The trusted authorities and the client's identity.
    public typealias TLS = TransportTLS
}

extension ValkeyStore.Server: CustomStringConvertible {
    /// Host and port, or the path.
    public var description: String {
        switch self {
        case .tcp(let host, let port), .tls(let host, let port, _): "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
