package import CoreNetKitHTTP

/// Under what a request is looked up: whose responses, how, and whether they may outlive the process.
package struct CacheScope: Sendable, Hashable {
    package var partition: String
    /// What distinguishes the caller beside the partition; empty if nothing does.
    package var caller = ""
    package var isPersistent: Bool
    package var mode: CacheMode
    /// What is secret in the call that looks.
    package var secrets = SecretRules.standard
    /// When the call ends that looks.
    package var deadline: Duration?

    package init(partition: String = "", isPersistent: Bool = true, mode: CacheMode = .standard) {
        self.partition = partition
        self.isPersistent = isPersistent
        self.mode = mode
    }
}
