extension Outbox {
    /// How much an outbox keeps, per owner; entries without an owner have limits of their own.
    public struct Limits: Hashable, Sendable {
        /// Entries that wait or are in flight.
        public var entries: Int
        /// Bytes of their requests, without bodies in separate files.
        public var bytes: Int
        /// Bytes of bodies in separate files.
        public var blobBytes: Int
        /// A longer body is kept in a separate file.
        public var longestInlineBody: Int

        /// Creates limits.
        public init(
            entries: Int = 10_000,
            bytes: Int = 64 << 20,
            blobBytes: Int = 256 << 20,
            longestInlineBody: Int = 64 << 10
        ) {
            (self.entries, self.bytes) = (entries, bytes)
            (self.blobBytes, self.longestInlineBody) = (blobBytes, longestInlineBody)
        }
    }

    /// What happens when the limits are reached; every discarded entry is reported.
    public enum Overflow: Hashable, Sendable {
        /// The new request is refused, and nothing is written.
        case refuse
        /// The oldest unsent entries of the same queue and owner are discarded.
        case dropOldest
    }

    /// What a queue does after an entry that is dead or in doubt.
    public enum AfterFailure: Hashable, Sendable {
        /// It continues with the next one.
        case skip
        /// It stops until the app decides.
        case block
    }

    /// What "on disk" means when `enqueue` returns.
    public enum Durability: Hashable, Sendable {
        /// It survives the end of the process, but not a loss of power.
        case written
        /// It survives a loss of power, as far as the system guarantees it (`fdatasync`; on Apple platforms a barrier).
        case synced
        /// The drive's own cache is flushed too, if that is a separate call (`F_FULLFSYNC` on Apple platforms).
        case flushed
    }

    /// How an outbox works.
    public struct Options: Sendable {
        /// How much it keeps.
        public var limits = Limits()
        /// What happens when the limit is reached.
        public var overflow = Overflow.refuse
        /// What a queue does after an entry that failed permanently.
        public var afterFailure = AfterFailure.skip
        /// What "on disk" means.
        public var durability = Durability.synced
        /// The priority of a queue: of the queues with something to send, those with the highest number go first.
        ///
        /// A queue that waits for its time, its owner or its host does not block others. Queues with lower numbers wait
        /// as long as others have entries that can be sent.
        public var priority: @Sendable (_ queue: String) -> Int = { _ in 0 }
        /// Reports which conditions of requests hold; `nil` for no source.
        public var conditions: (any OutboxConditionSource)?
        /// How many requests are in flight at once, each of another queue; less than 1 counts as 1.
        public var concurrency = 4
        /// The upper bound of the random wait after a first failed attempt; it doubles with each further one.
        public var firstBackoff: Duration = .seconds(1)
        /// The highest such bound.
        public var longestBackoff: Duration = .seconds(15 * 60)
        /// The longest wait that a server may ask for; longer ones are shortened to it.
        public var longestRetryAfter: Duration = .seconds(24 * 3600)
        /// Whether a status 403 pauses the owner's entries as a 401 does, instead of making the entry dead.
        public var pausesOnForbidden = false
        /// How often to look for entries of other processes and for a chance to deliver; `nil` for never.
        public var pollInterval: Duration? = .seconds(1)
        /// The version of the app's requests, stored with each entry.
        public var revision = 0
        /// Changes a stored request of an earlier revision before it is sent; `nil` discards the entry.
        public var migrate: (@Sendable (OutboxRequest, _ revision: Int) -> OutboxRequest?)?

        var segmentLimit = 1 << 20

        /// Creates the default options.
        public init() {}
    }
}
