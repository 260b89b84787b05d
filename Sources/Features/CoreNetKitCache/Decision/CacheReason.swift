/// Why a stored response was used or not: one sentence, and the section of its rule.
public struct CacheReason: Sendable, Hashable, CustomStringConvertible {
    /// One byte that identifies the texts: a reason is passed on with each response.
    package enum Code: Sendable {
        case fresh, immutable, slice, maxStale, whileRevalidate, ifError, disconnected, off
        case method, ownCondition, range, nothing, noVariant, reload, revalidate, requestNoCache, pragma
        case requestMaxAge, minFresh, responseNoCache, invalidated, clock, mustRevalidate, stale, vanished
        case undecodable, onlyIfCached, incomplete
    }

    private let code: Code

    package init(_ code: Code) { self.code = code }

    /// The parameter `fwd` of RFC 9211, 2.2; `nil` if nothing is forwarded.
    public var forward: String? { texts.forward }
    /// The sentence, without a full stop.
    public var sentence: String { texts.sentence }
    /// The section of the rule, such as `RFC 9111, 4.2.4`.
    public var section: String { texts.section }

    /// The sentence with its section.
    public var description: String { "\(sentence) (\(section))" }

    private var texts: (forward: String?, sentence: String, section: String) {
        switch code {
        case .fresh: (nil, "the stored response is fresh", "RFC 9111, 4.2")
        case .immutable: (nil, "the stored response is fresh and never changes", "RFC 8246, 2")
        case .slice: (nil, "the range is cut out of the stored response", "RFC 9111, 3.4")
        case .maxStale: (nil, "the request accepts a stale response", "RFC 9111, 5.2.1.2")
        case .whileRevalidate: (nil, "the stale response may be used while it is validated", "RFC 5861, 3")
        case .ifError: (nil, "the server failed, and the stale response may be used", "RFC 5861, 4")
        case .disconnected: (nil, "only the cache may be used, and the response may be stale", "RFC 9111, 4.2.4")
        case .off: ("bypass", "the cache is switched off for this chain", "mode .off")
        case .method: ("method", "the method is not served from a cache", "RFC 9111, 4")
        case .ownCondition: ("request", "the request has a condition of its own", "RFC 9111, 4.3.2")
        case .range: ("partial", "the range cannot be cut out of what is stored", "RFC 9111, 3.4")
        case .incomplete: ("partial", "only another part of it is stored", "RFC 9111, 3.3")
        case .nothing: ("uri-miss", "nothing is stored for this URL", "RFC 9111, 4")
        case .noVariant: ("vary-miss", "what is stored was selected by other request fields", "RFC 9111, 4.1")
        case .reload: ("request", "the caller wants the response fetched again", "mode .reload")
        case .revalidate: ("request", "the caller wants the response confirmed", "mode .revalidate")
        case .requestNoCache: ("request", "the request says no-cache", "RFC 9111, 5.2.1.4")
        case .pragma: ("request", "the request says Pragma: no-cache", "RFC 9111, 5.4")
        case .requestMaxAge:
            ("request", "the stored response is older than the request accepts", "RFC 9111, 5.2.1.1")
        case .minFresh:
            ("request", "the stored response is not fresh for as long as the request asks", "RFC 9111, 5.2.1.3")
        case .responseNoCache:
            ("stale", "the stored response says no-cache: it is confirmed before each use", "RFC 9111, 5.2.2.4")
        case .invalidated: ("stale", "a later request changed the resource", "RFC 9111, 4.4")
        case .clock: ("stale", "the clock was set back, so no age is known", "RFC 9111, 4.2.3")
        case .mustRevalidate:
            ("stale", "the stored response is stale and says must-revalidate", "RFC 9111, 5.2.2.2")
        case .stale: ("stale", "the stored response is stale", "RFC 9111, 4.2.4")
        case .vanished: ("miss", "the stored content is gone or damaged", "RFC 9111, 3.3")
        case .undecodable: ("stale", "the stored content could not be decoded", "CoreNetKit")
        case .onlyIfCached:
            (nil, "nothing usable is stored, and the network must not be asked", "RFC 9111, 5.2.1.7")
        }
    }
}
