import CoreNetKitSystem

/// How one chain uses the cache.
///
/// ```
/// builder.cache(.revalidate)
/// builder.cache(.standard.staleIfError(for: .seconds(3600)))
/// ```
public struct CacheMode: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case standard, revalidate, reload, only, off
    }

    package var kind: Kind
    /// Milliseconds; `nil` leaves it to the response.
    package var staleIfError: Int64?
    /// Milliseconds; `nil` leaves it to the response.
    package var timeToLive: Int64?
    package var usesHeuristics = true

    private init(_ kind: Kind) { self.kind = kind }

    /// Uses a fresh response, and validates a stale one.
    public static let standard = CacheMode(.standard)
    /// Validates even fresh responses, except those that were declared `immutable` over https.
    ///
    /// Sends `Cache-Control: max-age=0`, so that caches on the way do the same.
    public static let revalidate = CacheMode(.revalidate)
    /// Requests the whole response again and stores it; sends `Cache-Control: no-cache`.
    public static let reload = CacheMode(.reload)
    /// Never uses the network: stored responses are used even if they are stale, unless they forbid that.
    ///
    /// Without a usable response the cache generates one with status 504.
    public static let only = CacheMode(.only)
    /// Neither reads nor stores; a request that changes a resource still invalidates its stored responses.
    public static let off = CacheMode(.off)

    /// The standard mode; a stale response is used if the server cannot be reached or fails.
    public static func staleIfError(for time: Duration) -> CacheMode { standard.staleIfError(for: time) }

    /// The standard mode with a lifetime in place of the response's.
    public static func ttl(_ time: Duration) -> CacheMode { standard.ttl(time) }

    /// A response that became stale at most this long ago is used if the server fails.
    ///
    /// It fails if it cannot be reached, or responds with 500, 502, 503 or 504. `must-revalidate` and `no-cache` of the
    /// response take precedence.
    public func staleIfError(for time: Duration) -> CacheMode { with { $0.staleIfError = time.cacheMilliseconds } }

    /// Responses stay fresh for this long after receipt, whatever they say; zero or less makes everything stale.
    ///
    /// `no-store` and `no-cache` take precedence.
    public func ttl(_ time: Duration) -> CacheMode { with { $0.timeToLive = time.cacheMilliseconds } }

    /// A response without a lifetime is stale at once, whatever its `Last-Modified` suggests.
    public var withoutHeuristics: CacheMode { with { $0.usesHeuristics = false } }

    private func with(_ change: (inout CacheMode) -> Void) -> CacheMode {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Duration {
    /// Whole milliseconds, from zero to about a million years.
    package var cacheMilliseconds: Int64 { max(0, min(wholeMilliseconds, 1000 << 45)) }
}
