package import CoreNetKitHTTP

package enum CacheAction: Sendable, Equatable {
    /// Respond with a variant, or with the requested range of it.
    case use(Int)
    /// Respond with a variant although it is stale; `refresh` tells whether it is validated in the background.
    case useStale(Int, refresh: Bool)
    /// Ask the server with these fields whether one of these variants is still valid.
    case validate([Int], Headers)
    /// Request the missing bytes of a stored part, with these fields in place of the caller's.
    case complete(Int, Headers)
    /// Send the request to the server, with these fields added.
    case forward(Headers)
    /// Respond with 504: the network must not be used.
    case refuse
}

package struct CacheDecision: Sendable {
    package var action: CacheAction
    package var reason: CacheReason.Code
    /// In milliseconds, if a variant was selected.
    package var age: Int64?
    /// In milliseconds, if a variant was selected.
    package var lifetime: Int64?
    package var fallback: Int?

    package var usedIndex: Int? {
        switch action {
        case .use(let index), .useStale(let index, _): index
        case .validate, .complete, .forward, .refuse: nil
        }
    }

    init(_ action: CacheAction, _ reason: CacheReason.Code, age: Int64? = nil, lifetime: Int64? = nil) {
        (self.action, self.reason, self.age, self.lifetime) = (action, reason, age, lifetime)
    }
}

package struct CacheRequestFacts: Sendable {
    package let method: HTTPMethod
    package let headers: Headers
    package let control: CacheControl
    package var mode: CacheMode
    /// Whether a permitted stale response may be used; otherwise it is validated.
    package var acceptsStale = true
    /// Whether `immutable` counts: over http anyone on the way could have added it (RFC 8246, 3).
    package var isSecure = true
    /// Whether the request has a condition; that of a range is evaluated with the range.
    package let hasCondition: Bool
    package let hasRange: Bool
    /// `Pragma: no-cache` counts only without `Cache-Control` (RFC 9111, 5.4).
    package let hasPragma: Bool

    /// Reads the facts about a request, by the fields that are known here.
    package init(method: HTTPMethod, headers: Headers, mode: CacheMode = .standard) {
        self.method = method
        self.headers = headers
        self.mode = mode
        let seen = Self.seen(in: headers)
        hasCondition = seen.condition
        hasRange = seen.range
        control = seen.control ? CacheControl(headers) : CacheControl()
        hasPragma =
            seen.pragma && !control.isPresent
            && FieldScanner.members(of: headers[values: "Pragma"])?.contains { $0.lowercased() == "no-cache" } ?? false
    }

    /// Which of the relevant names occur at all: most requests have none of them.
    private static func seen(in headers: Headers) -> (condition: Bool, range: Bool, control: Bool, pragma: Bool) {
        var seen = (condition: false, range: false, control: false, pragma: false)
        for field in headers.fields {
            let name = field.name
            // The length tells most other names apart.
            switch name.utf8.count {
            case 5: if Headers.matches(name, "Range") { seen.range = true }
            case 6: if Headers.matches(name, "Pragma") { seen.pragma = true }
            case 8: if Headers.matches(name, "If-Match") { seen.condition = true }
            case 13:
                if Headers.matches(name, "Cache-Control") { seen.control = true }
                if Headers.matches(name, "If-None-Match") { seen.condition = true }
            case 17: if Headers.matches(name, "If-Modified-Since") { seen.condition = true }
            case 19: if Headers.matches(name, "If-Unmodified-Since") { seen.condition = true }
            default: break
            }
        }
        return seen
    }

    /// Whether stored responses matter to the decision, or to what is stored after it.
    package var isLookedUp: Bool { mode.kind != .off && (method == .get || method == .head) }

    /// The single range of bytes that a GET requests; `nil` if there is none, or it is malformed.
    package var range: ByteRange? {
        guard hasRange, method == .get else { return nil }
        let lines = headers[values: "Range"]
        return lines.count == 1 ? ByteRange(lines[0]) : nil
    }

    package var isLocal: Bool { mode.kind == .only || control.onlyIfCached }
}
