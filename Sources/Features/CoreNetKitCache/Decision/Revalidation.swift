package import CoreNetKitHTTP

/// The effect of a confirmation on a stored response: a 304, or a response to HEAD (RFC 9111, 4.3.4 and 4.3.5).
package struct Revalidation: Sendable {
    package let request: Headers
    package let response: Headers
    package let requested: CacheTime
    package let received: CacheTime

    package init(request: Headers, response: Headers, requested: CacheTime, received: CacheTime) {
        (self.request, self.response) = (request, response)
        (self.requested, self.received) = (requested, received)
    }

    /// Whether the confirmed response may be kept: not if the confirmation says `no-store`, nor if no request can select it any
    /// more (RFC 9111, 5.2.2.5 and 4.1).
    package var mayBeKept: Bool { !CacheControl(response).noStore && Vary.names(response) != nil }

    /// The variant with its new fields.
    ///
    /// - Parameters:
    ///   - variant: The stored response.
    ///   - counters: The mark counters when the exchange began; `nil` if the confirmation does not end a mark.
    /// - Returns: The same content with another head.
    package func applied(to variant: CacheVariant, counters: CacheCounters?) -> CacheVariant {
        var headers = StoredFields.merged(variant.headers, with: response)
        if !headers.contains("Date") { headers.append("Date", FieldDate.format(received.wall)) }
        // A confirmation may also change which fields select.
        let names = Vary.names(headers)
        let isSame = names == variant.selecting.map(\.name)
        return variant.renewed(
            headers: headers,
            selecting: isSame ? nil : names.map { Vary.selecting($0, in: request) },
            requested: requested,
            received: received,
            counters: counters
        )
    }
}
