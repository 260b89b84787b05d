import CoreNetKitEssentials
import Synchronization

extension Partition {
    /// One login: from the time when a user signs in to the time when they sign out.
    ///
    /// Stored data belongs to the partition, which means the same user in later processes. Running work belongs to the
    /// session: a call that began before a logout is not finished with the credentials of the next login, not even one of
    /// the same user.
    public struct Session: Hashable, Sendable, CustomStringConvertible {
        /// A number that is unique for each login of this process; 0 if the partition alone distinguishes them.
        private let number: UInt64
        /// The numbers of the sessions that it was combined with.
        private let others: [UInt64]
        /// The user of the session.
        public let partition: Partition
        /// The number of credentials set from outside, not counting renewals by the refresher itself: a request that was
        /// rejected with one may succeed with the next.
        package private(set) var credentials = 1

        private static let last = Atomic<UInt64>(0)

        /// A session without a count of logins: it lasts as long as the partition stays the same.
        public init(of partition: Partition) { self.init(partition, 0, []) }

        /// A session that begins now, even if the partition was used before; an unstable one gets a new name each time.
        public static func beginning(_ partition: Partition) -> Session {
            let number = last.add(1, ordering: .relaxed).newValue
            guard !partition.isStable else { return Session(partition, number, []) }
            // Another machine may read the same storage, where the number alone could match a different user.
            return Session(partition.combined(with: Partition(UUID().uuidString, isStable: false)), number, [])
        }

        private init(_ partition: Partition, _ number: UInt64, _ others: [UInt64]) {
            (self.partition, self.number, self.others) = (partition, number, others)
        }

        /// A session that ends as soon as either of the two ends, for example those of a tenant and of its user.
        public func combined(with other: Session) -> Session {
            let partition = partition.combined(with: other.partition)
            var both = Session(partition, number, others + [other.number] + other.others)
            both.credentials = credentials + other.credentials
            return both
        }

        /// The same session with another credential.
        package var renewed: Session {
            var renewed = self
            renewed.credentials += 1
            return renewed
        }

        /// Whether it is the same login with the same credential.
        package func hasSameCredential(as other: Session) -> Bool { self == other && credentials == other.credentials }

        /// Whether it is the same login, whatever its credential.
        public static func == (left: Session, right: Session) -> Bool {
            left.number == right.number && left.others == right.others && left.partition == right.partition
        }

        /// Hashes the values that distinguish logins.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            hasher.combine(partition)
        }

        /// A session that ends as soon as any of the given ones ends.
        static func combined(_ sessions: [Session]) -> Session {
            guard let first = sessions.first else { return Session(of: .anonymous) }
            return sessions.dropFirst().reduce(first) { $0.combined(with: $1) }
        }

        /// A description that does not name users, because it may be logged.
        public var description: String { "session of \(partition)" }
    }
}
