package import CoreNetKitHTTP

/// What a 304 or a response to HEAD changes in what is stored (RFC 9111, 4.3.4 and 4.3.5).
package enum Updating {
    /// The variants that a 304 confirms.
    ///
    /// - Parameters:
    ///   - headers: The fields of the 304.
    ///   - asked: The variants whose validators were sent.
    ///   - variants: What is stored.
    /// - Returns: Positions of variants, the most recent last; none where the 304 speaks of something else.
    package static func confirmed(by headers: Headers, asked: [Int], in variants: [CacheVariant]) -> [Int] {
        let asked = asked.filter { variants.indices.contains($0) }
            .sorted { variants[$0].facts.date < variants[$1].facts.date }
        if let tag = headers["ETag"], !tag.isEmpty {
            if EntityTag.isStrong(tag) {
                let same = asked.filter { EntityTag.matchesStrongly(tag, variants[$0].facts.entityTag ?? "") }
                if !same.isEmpty { return same }
            }
            // Weak, or the stored one is: the most recent that corresponds.
            return asked.last { EntityTag.matchesWeakly(tag, variants[$0].facts.entityTag ?? "") }.map { [$0] } ?? []
        }
        // Without a tag a 304 to several is a riddle.
        guard asked.count == 1, let only = asked.first else { return [] }
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

    /// Whether a validator says that the stored content is what the server has: the tag, or without tags the date.
    package static func isSame(_ headers: Headers, _ variant: CacheVariant) -> Bool {
        let (tag, stored) = (headers["ETag"], variant.headers["ETag"])
        if tag != nil || stored != nil { return tag == stored }
        return headers["Last-Modified"].map { $0 == variant.headers["Last-Modified"] } ?? false
    }

    private static func length(of variant: CacheVariant) -> String {
        variant.headers["Content-Length"] ?? String(variant.content.length)
    }
}
