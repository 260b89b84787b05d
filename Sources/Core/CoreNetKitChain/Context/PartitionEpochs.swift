/// Counts how often partitions were emptied, so that work that began earlier stores nothing afterwards.
///
/// A writer reads the epoch when it begins, and compares it under the lock under which the keeper ends it. A writer that
/// begins late in a call then checks whether the session has ended: one of the two checks detects the sign-out.
package struct PartitionEpochs: Sendable {
    private var all: UInt64 = 0
    private var own: [String: UInt64] = [:]
    private let limit: Int

    /// Creates the counter.
    ///
    /// - Parameter limit: The maximum number of distinct partitions; one more ends the epochs of all.
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
