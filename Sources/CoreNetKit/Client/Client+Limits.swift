import CoreNetKitRecovery

// Verbs that make an object that remembers: a client's, so that all its chains share it. Builders are given one.
extension Client {
    /// Lets so many calls through at once, the others wait.
    ///
    /// - Parameters:
    ///   - perHost: The most calls at once to one host and port, above zero.
    ///   - total: The most calls at once, above zero.
    /// - Returns: A client with a limiter of its own.
    public func limit(perHost: Int?, total: Int = 64) -> Client {
        limit(with: ConcurrencyLimiter(total: total, perHost: perHost))
    }

    /// Sends requests no faster than a rate.
    ///
    /// - Parameters:
    ///   - count: How many requests, above zero.
    ///   - period: In which time, above zero.
    ///   - burst: How many may go at once after a rest, above zero.
    /// - Returns: A client with a limiter of its own.
    public func rate(_ count: Int, per period: Duration = .seconds(1), burst: Int = 1) -> Client {
        rate(with: RateLimiter(count, per: period, burst: burst))
    }
}
