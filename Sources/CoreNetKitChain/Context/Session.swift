import CoreNetKitEssentials
import Synchronization

extension Partition {
    /// One login: from the time when a user signs in to the time when they sign out.
    ///
    /// What is kept goes by the partition, which means the same user tomorrow. What is under way goes by the session: a call
    /// that began before a logout is not finished with the credentials of the next login, not even by the same name.
    public struct Session: Hashable, Sendable, CustomStringConvertible {
        /// A number that no other login of this process has; 0 where the partition alone tells them apart.
        private let number: UInt64
        /// The numbers of what it was combined with.
        private let others: [UInt64]
        /// Whose it is.
        public let partition: Partition
        /// How many credentials it has had from outside, renewals by its own refresh not counted: what was refused with one
        /// may work with the next.
        package private(set) var credentials = 1

        private static let last = Atomic<UInt64>(0)

        /// The session of somebody whose logins nobody counts: it lasts as long as the partition stays the same.
        public init(of partition: Partition) { self.init(partition, 0, []) }

        /// A session that begins now, whoever had the partition before.
        ///
        /// - Parameter partition: Whose it is; one that is not stable gets another name with each session.
        /// - Returns: The session.
        public static func beginning(_ partition: Partition) -> Session {
            let number = last.add(1, ordering: .relaxed).newValue
            guard !partition.isStable else { return Session(partition, number, []) }
            // Another machine may look into the same storage: the number alone would be its users' as well.
            return Session(partition.combined(with: Partition(UUID().uuidString, isStable: false)), number, [])
        }

        private init(_ partition: Partition, _ number: UInt64, _ others: [UInt64]) {
            (self.partition, self.number, self.others) = (partition, number, others)
        }

        /// The session that ends with the first of both: a user's of a tenant, for example.
        public func combined(with other: Session) -> Session {
            let partition = partition.combined(with: other.partition)
            var both = Session(partition, number, others + [other.number] + other.others)
            both.credentials = credentials + other.credentials
            return both
        }

        /// The same session, with another credential.
        package var renewed: Session {
            var renewed = self
            renewed.credentials += 1
            return renewed
        }

        /// Whether it is the same login, and nothing has replaced its credential.
        package func hasSameCredential(as other: Session) -> Bool { self == other && credentials == other.credentials }

        /// Whether it is the same login, whichever credential it has.
        public static func == (left: Session, right: Session) -> Bool {
            left.number == right.number && left.others == right.others && left.partition == right.partition
        }

        /// Hashes what tells logins apart.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            hasher.combine(partition)
        }

        /// The session that ends with the first of some.
        static func combined(_ sessions: [Session]) -> Session {
            guard let first = sessions.first else { return Session(of: .anonymous) }
            return sessions.dropFirst().reduce(first) { $0.combined(with: $1) }
        }

        /// How many users it names; a log must not tell whom.
        public var description: String { "session of \(partition)" }
    }
}
