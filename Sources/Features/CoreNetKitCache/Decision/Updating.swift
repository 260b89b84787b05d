package import CoreNetKitHTTP

/// What a 304 or a response to HEAD changes in the stored responses (RFC 9111, 4.3.4 and 4.3.5).
package enum Updating {
    /// The variants that a 304 confirms.
    ///
    /// - Parameters:
    ///   - headers: The fields of the 304.
    ///   - candidates: The variants whose validators were sent.
    ///   - variants: The stored responses.
    /// - Returns: Indices of variants, the most recent last; none if the 304 is about other responses.
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

    /// What a response to HEAD says about a stored response to GET.
    package enum HeadVerdict: Sendable, Hashable {
        case update, invalidate, nothing
    }

    /// Compares the validators and the length of a response to HEAD with a variant.
    package static func verdict(status: Int, headers: Headers, on variant: CacheVariant) -> HeadVerdict {
        guard status == 200, variant.status == 200, !CacheControl(headers).noStore else { return .nothing }
        let stored = variant.headers
        let isSame = ["ETag", "Last-Modified"].allSatisfy { headers[$0] == nil || headers[$0] == stored[$0] }
        let hasLength = variant.isDecoded || headers["Content-Length"].map { $0 == length(of: variant) } ?? true
        return isSame && hasLength ? .update : .invalidate
    }

    /// Whether a validator shows that the stored content is current: the tag or, without tags, the date.
    package static func isSame(_ headers: Headers, _ variant: CacheVariant) -> Bool {
        let (tag, stored) = (headers["ETag"], variant.headers["ETag"])
        if tag != nil || stored != nil { return tag == stored }
        return headers["Last-Modified"].map { $0 == variant.headers["Last-Modified"] } ?? false
    }

    private static func length(of variant: CacheVariant) -> String {
        variant.headers["Content-Length"] ?? String(variant.content.length)
    }
}
