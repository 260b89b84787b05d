/// Why a stored response was used or not: one sentence, and the section that says so.
public struct CacheReason: Sendable, Hashable, CustomStringConvertible {
    /// The parameter `fwd` of RFC 9211, 2.2; `nil` where nothing is forwarded.
    public let forward: String?
    /// The sentence, without a full stop.
    public let sentence: String
    /// The text that says so, as `RFC 9111, 4.2.4`.
    public let section: String

    package init(_ forward: String, _ sentence: String, _ section: String) {
        (self.forward, self.sentence, self.section) = (forward, sentence, section)
    }

    package init(_ sentence: String, _ section: String) {
        (forward, self.sentence, self.section) = (nil, sentence, section)
    }

    /// The sentence with its section.
    public var description: String { "\(sentence) (\(section))" }
}

extension CacheReason {
    package static let fresh = CacheReason("the stored response is fresh", "RFC 9111, 4.2")
    package static let immutable = CacheReason("the stored response is fresh and never changes", "RFC 8246, 2")
    package static let slice = CacheReason("the range is cut out of the stored response", "RFC 9111, 3.4")
    package static let maxStale = CacheReason("the request accepts a stale response", "RFC 9111, 5.2.1.2")
    package static let whileRevalidate = CacheReason(
        "the stale response may be used while it is validated",
        "RFC 5861, 3"
    )
    package static let ifError = CacheReason("the server failed, and the stale response may stand in", "RFC 5861, 4")
    package static let disconnected = CacheReason("only the cache was asked, and it may be stale", "RFC 9111, 4.2.4")
    package static let validated = CacheReason("the server confirmed the stored response", "RFC 9111, 4.3.4")

    package static let off = CacheReason("bypass", "the cache is switched off for this chain", "mode .off")
    package static let noScope = CacheReason(
        "bypass",
        "a policy inside of the cache may change the request in ways that the cache does not see",
        "ChainPolicy.scope"
    )
    package static let method = CacheReason("method", "the method is not answered from a cache", "RFC 9111, 4")
    package static let ownCondition = CacheReason(
        "request",
        "the request has a condition of its own",
        "RFC 9111, 4.3.2"
    )
    package static let range = CacheReason("partial", "the range cannot be cut out of what is stored", "RFC 9111, 3.4")
    package static let nothing = CacheReason("uri-miss", "nothing is stored for this URL", "RFC 9111, 4")
    package static let noVariant = CacheReason(
        "vary-miss",
        "what is stored was selected by other request fields",
        "RFC 9111, 4.1"
    )
    package static let reload = CacheReason("request", "the caller wants the whole response anew", "mode .reload")
    package static let revalidate = CacheReason(
        "request",
        "the caller wants the response confirmed",
        "mode .revalidate"
    )
    package static let requestNoCache = CacheReason("request", "the request says no-cache", "RFC 9111, 5.2.1.4")
    package static let pragma = CacheReason("request", "the request says Pragma: no-cache", "RFC 9111, 5.4")
    package static let requestMaxAge = CacheReason(
        "request",
        "the stored response is older than the request accepts",
        "RFC 9111, 5.2.1.1"
    )
    package static let minFresh = CacheReason(
        "request",
        "the stored response is not fresh for as long as the request asks",
        "RFC 9111, 5.2.1.3"
    )
    package static let responseNoCache = CacheReason(
        "stale",
        "the stored response says no-cache: it is confirmed before each use",
        "RFC 9111, 5.2.2.4"
    )
    package static let invalidated = CacheReason("stale", "a later request changed the resource", "RFC 9111, 4.4")
    package static let clock = CacheReason("stale", "the clock was set back, so no age is known", "RFC 9111, 4.2.3")
    package static let mustRevalidate = CacheReason(
        "stale",
        "the stored response is stale and says must-revalidate",
        "RFC 9111, 5.2.2.2"
    )
    package static let stale = CacheReason("stale", "the stored response is stale", "RFC 9111, 4.2.4")
    package static let vanished = CacheReason("miss", "the stored content is gone or damaged", "RFC 9111, 3.3")
    package static let undecodable = CacheReason("stale", "the stored content could not be decoded", "CoreNetKit")
    package static let onlyIfCached = CacheReason(
        "nothing usable is stored, and the network must not be asked",
        "RFC 9111, 5.2.1.7"
    )
}
