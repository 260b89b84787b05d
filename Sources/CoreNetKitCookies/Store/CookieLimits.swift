/// How many cookies a jar keeps.
public struct CookieLimits: Sendable, Hashable {
    /// The most cookies of one domain.
    public var perDomain: Int
    /// The most cookies in all.
    public var total: Int

    /// Creates limits; 50 of one domain and 3 000 in all by default.
    public init(perDomain: Int = 50, total: Int = 3000) {
        self.perDomain = max(1, perDomain)
        self.total = max(1, total)
    }
}
