package import CoreNetKitHTTP

/// Why a response may not be stored (RFC 9111, 3).
package enum StorageRefusal: String, Sendable, Hashable {
    case method, status, requestNoStore, responseNoStore, notUnderstood, variesByEverything, noReason, partial
    case incomplete

    /// Whether the response invalidates what is stored although it is not stored itself.
    package var replaces: Bool { self == .responseNoStore || self == .variesByEverything || self == .notUnderstood }

    /// The reason not to store a response under its own URL; `nil` if it may be stored.
    package static func of(_ method: HTTPMethod, _ request: Headers, _ status: Int, _ response: Headers) -> Self? {
        // A response to HEAD has no content and only updates what is stored (RFC 9111, 4.3.5).
        guard method == .get else { return .method }
        // RFC 9111, 3: a final status; a 304 only updates.
        guard (200...999).contains(status), status != 304 else { return .status }
        // A refusal of credentials must not be used for other credentials.
        guard status != 401, status != 407 else { return .status }
        if status == 206, !isPart(request, response) { return .partial }
        // RFC 9111, 5.2.1.5
        if CacheControl(request).noStore { return .requestNoStore }
        let control = CacheControl(response)
        if control.mustUnderstand {
            // RFC 9111, 5.2.2.3: for an understood status it overrides no-store.
            guard StatusCodes.isUnderstood(status) else { return .notUnderstood }
        } else if control.noStore {
            // RFC 9111, 5.2.2.5
            return .responseNoStore
        }
        // RFC 9111, 4.1: such a response never matches.
        guard Vary.names(response) != nil else { return .variesByEverything }
        // RFC 9111, 3: one of these is required.
        let isExplicit =
            control.maxAge != nil || control.isPublic || control.isPrivate || response.contains("Expires")
        return isExplicit || StatusCodes.allowsHeuristics(status) ? nil : .noReason
    }

    /// Whether a 206 can be stored (RFC 9111, 3.3): one part, with its declared length, in the coding of the representation.
    private static func isPart(_ request: Headers, _ response: Headers) -> Bool {
        guard request[values: "Range"].count == 1, let range = ContentRange(response), range.total != nil,
            !response.isCompressed
        else { return false }
        return response["Content-Length"].map { FieldScanner.length($0) == Int64(range.positions.count) } ?? true
    }
}

/// Which fields of a response are stored (RFC 9111, 3.1).
package enum StoredFields {
    /// The fields without those of one connection or one proxy.
    package static func kept(_ headers: Headers) -> Headers {
        let lines = headers[values: "Connection"]
        let listed = FieldNameSet(lines.isEmpty ? [] : FieldScanner.members(of: lines) ?? [])
        return Headers(fields: headers.filter { !isHopByHop($0.name) && !listed.contains($0.name) })
    }

    /// The stored fields updated by a 304, or by a response to HEAD, for the same representation (RFC 9111, 3.2).
    package static func merged(_ stored: Headers, with newer: Headers) -> Headers {
        var updates = kept(newer)
        // The stored bytes and their coding stay the same.
        for name in ["Content-Length", "Content-Encoding", "Content-Range"] { updates.remove(name) }
        var merged = stored
        // The age or date of the older exchange does not apply to the newer one.
        merged.remove("Age")
        merged.remove("Date")
        merged.merge(updates)
        return merged
    }

    private static func isHopByHop(_ name: String) -> Bool {
        let length = name.utf8.count
        return hopByHop.contains { $0.utf8.count == length && Headers.matches($0, name) }
    }

    private static let hopByHop = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
        "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]
}

/// What status codes of RFC 9110, 15 mean to a cache.
package enum StatusCodes {
    /// Whether a lifetime may be estimated for it (RFC 9110, 15.1).
    package static func allowsHeuristics(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether its caching rules are implemented, as `must-understand` requires (RFC 9111, 5.2.2.3).
    package static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...205, 300...303, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// Whether a stale response may replace it if that is permitted (RFC 5861, 4).
    package static func isError(_ status: Int) -> Bool {
        status == 500 || status == 502 || status == 503 || status == 504
    }
}
