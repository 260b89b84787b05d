public import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitSystem

/// A store on a server of Valkey (7.2 or later) or Redis (6 or later), by RESP3 over one connection.
///
/// ### Choose it
/// Where several processes act as one client. A server that stands alone, or one behind a name that a failover moves; a cluster
/// is refused with a message that says so.
///
/// ### What it does
/// The connection is made with the first call, and anew when it was lost. Calls are sent one behind the other without waiting,
/// each is over within the patience, and after three failures in a row the store is skipped as ``GuardedStore`` says: a
/// server that is away costs a call no more than its patience, and soon nothing. That it is back is found out beside the calls,
/// within a second. What changes atomically is one
/// script of a few lines; times are the server's. Its clock must not be set back: what is kept would live longer.
///
/// What Docs/Fleet.md says about eviction and rights holds for the server.
public final class ValkeyStore: SharedStore {
    /// Name and password of a user of the server's.
    public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        /// Creates credentials.
        ///
        /// - Parameters:
        ///   - user: The name; a server with `requirepass` and no users of its own knows `default`.
        ///   - password: The password.
        public init(user: String = "default", password: String) { (self.user, self.password) = (user, password) }

        /// The user's name, without the password.
        public var description: String { "credentials of \(user)" }
        /// The description only.
        public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
    }

    /// What stands under one key, each with a name behind the key's text.
    enum Part: String {
        case value = "v"
        case removed = "r"
        case lease = "l"
        case number = "n"
        case bucket = "b"

        func of(_ key: SharedKey) -> String { key.text + rawValue }
    }

    private let link: ValkeyLink
    private let guarded: GuardedStore

    /// Creates a store; its connection is made with the first call.
    ///
    /// - Parameters:
    ///   - server: Where it is.
    ///   - credentials: Whose connection it is, where the server asks for that.
    ///   - name: What the server's list of clients calls it; only visible ASCII is sent.
    ///   - patience: How long a call may take, from a millisecond on; what is shorter is a millisecond. A connection that
    ///     is made anew may take longer, and whoever waits for it not.
    ///   - clock: What patience goes by.
    public convenience init(
        _ server: Server,
        credentials: Credentials? = nil,
        name: String = "CoreNetKit",
        patience: Duration = .milliseconds(20),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            ValkeyDoor(server),
            ValkeyGreeting(credentials: credentials, name: name),
            patience: patience,
            clock: CallClock(clock)
        )
    }

    init(_ door: ValkeyDoor, _ greeting: ValkeyGreeting, patience: Duration, clock: CallClock) {
        link = ValkeyLink(door, greeting, patience: max(patience.bounded, .milliseconds(1)), clock: clock)
        guarded = GuardedStore(ValkeyCommands(link: link), patience: nil, on: clock)
        link.watch { [weak guarded] in
            guarded?.isAway == true
        } isBack: { [weak guarded] in
            guarded?.noteBack()
        }
    }

    /// Whether the server is left alone for now, after failures.
    public var isAway: Bool { guarded.isAway }

    /// Reads a value.
    public func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? { try await guarded.read(key) }

    /// Writes a value, where what is there now is what the caller thinks.
    public func write(
        _ key: SharedKey,
        _ bytes: Data,
        over version: UInt64?,
        for life: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try await guarded.write(key, bytes, over: version, for: life)
    }

    /// Removes a value.
    public func remove(_ key: SharedKey, over version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await guarded.remove(key, over: version)
    }

    /// Takes a lease: nobody else gets one for the key until it is released or its life is over.
    ///
    /// Its number is a time of the server's in microseconds, or one more than the last: it grows over restarts, and on
    /// another server as well, while their clocks agree.
    public func lease(_ key: SharedKey, for life: Duration) async throws(SharedStoreError) -> SharedLease? {
        try await guarded.lease(key, for: life)
    }

    /// Gives a lease back; one that is over, or another's by now, is left alone.
    public func release(_ lease: SharedLease) async throws(SharedStoreError) { try await guarded.release(lease) }

    /// Takes tokens of a bucket, all or none, by the server's clock.
    public func take(_ tokens: Int, of bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try await guarded.take(tokens, of: bucket)
    }

    /// Tells of values that were written, were removed or came to their end, by client tracking.
    ///
    /// While somebody reads, a lost connection is made anew without being asked for, and ``SharedChange/all`` follows. The
    /// stream ends when the store is dropped, or the server's user may not be told.
    public func changes(of kind: String) -> AsyncStream<SharedChange> { guarded.changes(of: kind) }
}
