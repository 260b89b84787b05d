/// Who knows whose calls these are: what the policies of a chain know together.
package struct SessionSource: Sendable {
    private let providers: [any PartitionProvider]
    /// The object that alone knows it, where there is one.
    private let only: ObjectIdentifier?

    /// `nil` where nobody knows users.
    init?(_ providers: [any PartitionProvider]) {
        guard let first = providers.first else { return nil }
        self.providers = providers
        let isAlone = providers.count == 1 && type(of: first) is AnyClass
        only = isAlone ? ObjectIdentifier(first as AnyObject) : nil
    }

    /// The login that calls belong to at this moment.
    package var session: Partition.Session {
        providers.count == 1 ? providers[0].session : Partition.Session.combined(providers.map(\.session))
    }

    /// Whether what an object says about the session is all there is to say.
    func isOnly(_ provider: any AnyObject & PartitionProvider) -> Bool { only == ObjectIdentifier(provider) }
}
