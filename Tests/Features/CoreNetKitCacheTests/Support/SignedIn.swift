import CoreNetKitChain
import CoreNetKitSystem

/// The currently signed-in user.
struct SignedIn: PartitionProvider {
    let user: Locked<String>

    var partition: Partition { Partition(user.withLock { $0 }) }
}
