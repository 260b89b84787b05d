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
