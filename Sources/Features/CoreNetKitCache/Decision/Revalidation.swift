package import CoreNetKitHTTP

/// The effect of a confirmation on a stored response: a 304, or a response to HEAD (RFC 9111, 4.3.4 and 4.3.5).
package struct Revalidation: Sendable {
    package let request: Headers
    package let response: Headers
    package let requestTime: CacheTime
    package let responseTime: CacheTime

    /// Whether the response may be kept: not with `no-store`, nor if no request can select it (RFC 9111, 5.2.2.5, 4.1).
    package var mayBeKept: Bool { !CacheControl(response).noStore && Vary.names(response) != nil }

    /// The same content with another head; the generations are `nil` if the confirmation does not end an invalidation.
    package func applied(to variant: CacheVariant, generations: CacheGenerations?) -> CacheVariant {
        var headers = StoredFields.merged(variant.headers, with: response)
        if !headers.contains("Date") { headers.append("Date", FieldDate.format(responseTime.wallMilliseconds)) }
        // A confirmation may also change which fields select.
        let names = Vary.names(headers)
        let isSame = names == variant.selectingFields.map(\.name)
        return variant.renewed(
            headers: headers,
            selectingFields: isSame ? nil : names.map { Vary.selecting($0, in: request) },
            requestTime: requestTime,
            responseTime: responseTime,
            generations: generations
        )
    }

    /// The variants that a 304 confirms, of those whose validators were sent; the most recent is last.
    package static func confirmed(by headers: Headers, candidates: [Int], in variants: [CacheVariant]) -> [Int] {
        let candidates = candidates.filter { variants.indices.contains($0) }
            .sorted { variants[$0].facts.date < variants[$1].facts.date }
        if let tag = headers["ETag"], !tag.isEmpty {
            if EntityTag.isStrong(tag) {
                let same = candidates.filter { EntityTag.matchesStrongly(tag, variants[$0].facts.entityTag ?? "") }
                if !same.isEmpty { return same }
            }
            // One of the tags is weak: the most recent variant that matches.
            return candidates.last { EntityTag.matchesWeakly(tag, variants[$0].facts.entityTag ?? "") }.map { [$0] }
                ?? []
        }
        // Without a tag, a 304 for several variants is ambiguous.
        guard candidates.count == 1, let only = candidates.first else { return [] }
        if let date = headers["Last-Modified"], let stored = variants[only].facts.lastModifiedText, date != stored {
            return []
        }
        return [only]
    }

    /// Whether a response to HEAD has the validators and the length of a variant; `nil` if it says nothing about it.
    package static func isConfirmed(_ variant: CacheVariant, by headers: Headers) -> Bool? {
        guard variant.status == 200, !CacheControl(headers).noStore else { return nil }
        let stored = variant.headers
        let isSame = ["ETag", "Last-Modified"].allSatisfy { headers[$0] == nil || headers[$0] == stored[$0] }
        let length = stored["Content-Length"] ?? String(variant.content.length)
        let hasLength = variant.isDecoded || headers["Content-Length"].map { $0 == length } ?? true
        return isSame && hasLength
    }

    /// Whether a validator shows that the stored content is current: the tag or, without tags, the date.
    package static func isSame(_ headers: Headers, _ variant: CacheVariant) -> Bool {
        let (tag, stored) = (headers["ETag"], variant.headers["ETag"])
        if tag != nil || stored != nil { return tag == stored }
        return headers["Last-Modified"].map { $0 == variant.headers["Last-Modified"] } ?? false
    }
}
