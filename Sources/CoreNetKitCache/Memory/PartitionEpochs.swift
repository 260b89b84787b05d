/// Counts how often partitions were emptied, so that what was begun before is not stored after it.
package struct PartitionEpochs: Sendable {
    private var all: UInt64 = 0
    private var own: [String: UInt64] = [:]

    package init() {}

    /// A number that changes whenever the partition is emptied.
    package func epoch(of partition: String) -> UInt64 { all &+ (own[partition] ?? 0) }

    /// Ends the epoch of one partition, or of all.
    package mutating func end(_ partition: String?) {
        guard let partition else { return all &+= 1 << 32 }
        own[partition, default: 0] &+= 1
    }
}
