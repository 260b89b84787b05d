package import CoreNetKitHTTP

/// The scope of a request's look-up: whose responses, in which mode, and whether they may outlive the process.
package struct CacheScope: Sendable, Hashable {
    package var partition: String
    /// What distinguishes the caller within the partition; empty if nothing does.
    package var caller = ""
    package var isPersistent: Bool
    package var mode: CacheMode
    /// The call's rules for secrets.
    package var secrets = SecretRules.standard
    /// The deadline of the call.
    package var deadline: Duration?

    package init(partition: String = "", isPersistent: Bool = true, mode: CacheMode = .standard) {
        self.partition = partition
        self.isPersistent = isPersistent
        self.mode = mode
    }
}
