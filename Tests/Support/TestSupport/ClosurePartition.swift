/// A partition that is what a closure says at the time.
package struct ClosurePartition: PartitionProvider {
    private let body: @Sendable () -> Partition
    package var partition: Partition { body() }

    package init(_ body: @escaping @Sendable () -> Partition) { self.body = body }
}
