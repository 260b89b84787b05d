/// The user that responses and requests belong to: no user may see another user's data.
///
/// The keys of all shared data contain the partition: coalesced exchanges, stored responses, cookies, queued requests. A
/// token policy or `PolicyHolder.set(partition:)` declares one; it is read for each call.
public struct Partition: Hashable, Sendable, CustomStringConvertible {
    private let parts: [String]
    /// Whether the name means the same user in another process, so that it may be used in a file name.
    public let isStable: Bool

    /// Calls without a user.
    public static let anonymous = Partition(parts: [], isStable: true)

    private init(parts: [String], isStable: Bool) {
        self.parts = parts
        self.isStable = isStable
    }

    /// The partition of a user.
    ///
    /// The name is unique for each user, and not secret: an account number, not a token. If it does not mean the same
    /// user in another process, `isStable` is `false`, and nothing is stored on disk for it.
    public init(_ name: String, isStable: Bool = true) {
        self.init(parts: [name], isStable: isStable)
    }

    /// The combination of both: a user of a tenant, for example.
    public func combined(with other: Partition) -> Partition {
        if parts.isEmpty { return other }
        if other.parts.isEmpty { return self }
        return Partition(parts: parts + other.parts, isStable: isStable && other.isStable)
    }

    /// Whether it includes the user of this name.
    package func names(_ user: String) -> Bool { parts.contains(user) }

    /// Whether it is the partition of calls without a user.
    public var isAnonymous: Bool { parts.isEmpty }

    /// A text that no other partition has.
    public var name: String { parts.map { "\($0.utf8.count):\($0)" }.joined() }

    /// A description that does not name users, because it may be logged.
    public var description: String { isAnonymous ? "anonymous" : "partition" }
}

/// The source of a partition; read for each call.
public protocol PartitionProvider: Sendable {
    /// The user of calls that begin now.
    var partition: Partition { get }

    /// The login of calls that begin now; by default it lasts as long as the partition stays the same.
    var session: Partition.Session { get }

    /// Signs the user out, if it is still this session; does nothing by default.
    func end(_ session: Partition.Session)
}

extension PartitionProvider {
    /// A session that lasts as long as the partition stays the same.
    public var session: Partition.Session { Partition.Session(of: partition) }
    /// Does nothing: a provider that knows only the name of a user cannot sign them out.
    public func end(_ session: Partition.Session) {}
}

extension Partition: PartitionProvider {
    /// Itself.
    public var partition: Partition { self }
}

/// Counts how often partitions were emptied, so that work that began earlier stores nothing afterwards.
///
/// A writer reads the epoch when it begins, and compares it under the lock under which the keeper ends it. A writer that
/// begins late in a call then checks whether the session has ended: one of the two checks detects the sign-out.
package struct PartitionEpochs: Sendable {
    private var all: UInt64 = 0
    private var own: [String: UInt64] = [:]
    private let limit: Int

    /// One more than `limit` partitions ends the epochs of all.
    package init(limit: Int = 4096) { self.limit = limit }

    /// A number that changes whenever the partition is emptied.
    package func epoch(of partition: String) -> UInt64 { all &+ (own[partition] ?? 0) }

    /// Ends the epoch of one partition, or of all.
    package mutating func end(_ partition: String?) {
        guard let partition, own[partition] != nil || own.count < limit else {
            own = [:]
            return all &+= 1 << 32
        }
        own[partition, default: 0] &+= 1
    }
}
