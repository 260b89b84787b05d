import CoreNetKitChain
import CoreNetKitSystem

/// Whoever is signed in at the moment.
struct SignedIn: PartitionProvider {
    let user: Locked<String>

    var partition: Partition { Partition(user.withLock { $0 }) }
}
