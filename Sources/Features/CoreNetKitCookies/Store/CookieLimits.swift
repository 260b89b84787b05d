/// How many cookies a jar keeps.
public struct CookieLimits: Sendable, Hashable {
    /// The most cookies of one domain.
    public var perDomain: Int
    /// The most cookies of a partition.
    public var total: Int
    /// The most partitions.
    ///
    /// The least recently used one is removed with all its cookies, persistent ones included: the next stored file does
    /// not contain them.
    public var partitions: Int

    /// Creates limits; 50 of one domain, 3 000 of a partition and 1 000 partitions by default.
    public init(perDomain: Int = 50, total: Int = 3000, partitions: Int = 1000) {
        self.perDomain = max(1, perDomain)
        self.total = max(1, total)
        self.partitions = max(1, partitions)
    }
}
