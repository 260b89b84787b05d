/// The source of the user of a chain's calls: all policies that know a user, combined.
package struct SessionSource: Sendable {
    private let providers: [any PartitionProvider]
    /// The only provider, if there is just one and it is an object.
    private let only: ObjectIdentifier?

    /// `nil` if no policy knows the user.
    init?(_ providers: [any PartitionProvider]) {
        guard let first = providers.first else { return nil }
        self.providers = providers
        let isAlone = providers.count == 1 && type(of: first) is AnyClass
        only = isAlone ? ObjectIdentifier(first as AnyObject) : nil
    }

    /// The session of calls that begin now.
    package var session: Partition.Session {
        providers.count == 1 ? providers[0].session : Partition.Session.combined(providers.map(\.session))
    }

    /// Whether this object is the only source of the session.
    func isOnly(_ provider: any AnyObject & PartitionProvider) -> Bool { only == ObjectIdentifier(provider) }
}
