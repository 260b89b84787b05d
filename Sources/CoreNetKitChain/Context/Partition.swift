/// Whose responses and requests these are: what one user may see, another must not.
///
/// Whatever is shared between calls has the partition in its key: coalesced exchanges, stored responses, cookies, queued
/// requests. A token policy declares one, or `PolicyHolder.set(partition:)` does; it is asked for each call.
public struct Partition: Hashable, Sendable, CustomStringConvertible {
    private let parts: [String]
    /// Whether the name means the same user in another process, so that it may stand in a file's name.
    public let isStable: Bool

    /// Nobody's in particular: calls without a user.
    public static let anonymous = Partition(parts: [], isStable: true)

    private init(parts: [String], isStable: Bool) {
        self.parts = parts
        self.isStable = isStable
    }

    /// The partition of a user.
    ///
    /// - Parameters:
    ///   - name: A text that is different for each user, and no secret: an account number, not a token.
    ///   - isStable: Whether it means the same user in another process; with `false` nothing is stored on disk for it.
    public init(_ name: String, isStable: Bool = true) {
        self.init(parts: [name], isStable: isStable)
    }

    /// The part that both have in common with nobody else: a user of a tenant, for example.
    public func combined(with other: Partition) -> Partition {
        if parts.isEmpty { return other }
        if other.parts.isEmpty { return self }
        return Partition(parts: parts + other.parts, isStable: isStable && other.isStable)
    }

    /// Whether a user of this name is one of those it names.
    package func names(_ user: String) -> Bool { parts.contains(user) }

    /// Whether it is nobody's in particular.
    public var isAnonymous: Bool { parts.isEmpty }

    /// A text that no other partition has.
    public var name: String { parts.map { "\($0.utf8.count):\($0)" }.joined() }

    /// How many users it names; a log must not tell whom.
    public var description: String { isAnonymous ? "anonymous" : "partition" }
}

/// Where a partition comes from; asked for each call.
public protocol PartitionProvider: Sendable {
    /// Whose calls these are at this moment.
    var partition: Partition { get }

    /// The login that calls belong to at this moment; as long as the partition stays the same, unless the provider says
    /// otherwise.
    var session: Partition.Session { get }

    /// Signs the user out, if it is still this session; does nothing unless the provider says otherwise.
    ///
    /// - Parameter session: What ``session`` was.
    func end(_ session: Partition.Session)
}

extension PartitionProvider {
    /// As long as the partition stays the same.
    public var session: Partition.Session { Partition.Session(of: partition) }
    /// Does nothing: who knows a user only by name cannot sign them out.
    public func end(_ session: Partition.Session) {}
}

extension Partition: PartitionProvider {
    /// Itself.
    public var partition: Partition { self }
}
