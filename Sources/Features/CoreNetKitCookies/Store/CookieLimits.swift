/// The maximum number of cookies in a jar.
public struct CookieLimits: Sendable, Hashable {
    /// The maximum number of cookies per domain.
    public var perDomain: Int
    /// The maximum number of cookies per partition.
    public var total: Int
    /// The maximum number of partitions.
    ///
    /// The least recently used one is removed with all its cookies, including persistent ones: the next stored file does
    /// not contain them.
    public var partitions: Int

    /// Creates limits; by default 50 per domain, 3 000 per partition and 1 000 partitions.
    public init(perDomain: Int = 50, total: Int = 3000, partitions: Int = 1000) {
        self.perDomain = max(1, perDomain)
        self.total = max(1, total)
        self.partitions = max(1, partitions)
    }
}
