package import CoreNetKitHTTP

/// Whether and how a response may be stored (RFC 9111, 3).
package enum Storing {
    /// Why a response is not stored.
    package enum Refusal: String, Sendable, Hashable {
        case method, status, requestNoStore, responseNoStore, notUnderstood, variesByEverything, noReason, partial
        case incomplete

        /// Whether the response invalidates what is stored although it is not stored itself.
        package var replaces: Bool {
            self == .responseNoStore || self == .variesByEverything || self == .notUnderstood
        }
    }

    /// Why a response may not be stored under its own URL; `nil` if it may.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - request: The request's fields.
    ///   - status: The response's status.
    ///   - response: The response's fields.
    ///   - mode: The mode of the caller.
    /// - Returns: The reason against it, or `nil`.
    package static func refusal(
        method: HTTPMethod,
        request: Headers,
        status: Int,
        response: Headers,
        mode: CacheMode
    ) -> Refusal? {
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
        else {
            return false
        }
        return response["Content-Length"].map { FieldScanner.length($0) == Int64(range.positions.count) } ?? true
    }
}
