import CoreNetKitRecovery

// Verbs that create an object with state: only on a client, so that all its chains share it. A builder takes an existing
// object.
extension Client {
    /// Limits how many calls run at once; the others wait.
    ///
    /// - Parameters:
    ///   - perHost: The maximum number of concurrent calls to one host and port, above zero.
    ///   - total: The maximum number of concurrent calls, above zero.
    /// - Returns: A client with a limiter of its own.
    public func limit(perHost: Int?, total: Int = 64) -> Client {
        limit(with: ConcurrencyLimiter(total: total, perHost: perHost))
    }

    /// Limits the rate of requests.
    ///
    /// - Parameters:
    ///   - count: The number of requests per period, above zero.
    ///   - period: The length of the period, above zero.
    ///   - burst: How many requests may be sent at once after a pause, above zero.
    /// - Returns: A client with a limiter of its own.
    public func rate(_ count: Int, per period: Duration = .seconds(1), burst: Int = 1) -> Client {
        rate(with: RateLimiter(count, per: period, burst: burst))
    }
}
