/// The exclusive right to do something for a limited time.
public struct SharedLease: Sendable, Hashable {
    /// What the lease is for.
    public let key: SharedKey
    /// The owner: a text that is unique for each lease.
    public let owner: String
    /// A number larger than that of every earlier lease for the key.
    public let number: UInt64

    /// Creates a lease, for stores.
    public init(key: SharedKey, owner: String, number: UInt64) {
        (self.key, self.owner, self.number) = (key, owner, number)
    }
}
