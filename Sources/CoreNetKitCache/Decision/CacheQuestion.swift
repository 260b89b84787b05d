package import CoreNetKitHTTP

/// What a cache needs to know of a request.
package struct CacheQuestion: Sendable {
    package let method: HTTPMethod
    package let headers: Headers
    package let control: CacheControl
    package var mode: CacheMode
    /// Whether a permitted stale response is an end; otherwise it is validated.
    package var acceptsStale = true

    /// Creates the question that a request asks.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - headers: The request's fields, as far as they are known here.
    ///   - mode: What the caller asked for.
    package init(method: HTTPMethod, headers: Headers, mode: CacheMode = .standard) {
        self.method = method
        self.headers = headers
        self.mode = mode
        control = CacheControl(headers)
    }

    /// Whether what is stored matters to the decision.
    package var isLookedUp: Bool {
        mode.kind != .off && (method == .get || method == .head) && (!hasCondition || isLocal)
    }

    /// Whether no response may come from the network.
    package var isLocal: Bool { mode.kind == .only || control.onlyIfCached }

    /// Whether the request has a condition of its own; the one of a range is looked at with the range.
    package var hasCondition: Bool {
        headers.contains { field in Self.conditions.contains { Headers.matches($0, field.name) } }
    }

    /// `Pragma: no-cache` counts only where there is no `Cache-Control` (RFC 9111, 5.4).
    package var hasPragma: Bool {
        guard !control.isPresent, let members = ListField.members(of: headers[values: "Pragma"]) else { return false }
        return members.contains { $0.lowercased() == "no-cache" }
    }

    private static let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]
}
