/// Everything that is stored of one resource: its variants, and when it was last invalidated.
public struct CacheRecord: Sendable {
    /// The stored responses, the oldest first.
    public var variants: [CacheVariant]
    /// When the resource was last invalidated: responses to requests sent earlier are stored as invalid.
    public var invalidated: CacheTime?

    /// The most variants that one resource keeps.
    package static let variantLimit = 8

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - variants: The stored responses, the oldest first.
    ///   - invalidated: When the resource was last invalidated.
    public init(variants: [CacheVariant] = [], invalidated: CacheTime? = nil) {
        self.variants = variants
        self.invalidated = invalidated
    }

    /// Adds a response in place of the one with the same selecting fields.
    ///
    /// Of two exchanges that ran at the same time, the one that began later stays. A response to a request that was
    /// sent before the last invalidation may be older than it, and is kept as invalid. What an earlier start of the
    /// machine has stored is older, also where its clock was ahead.
    package mutating func put(_ variant: CacheVariant) {
        var variant = variant
        if let invalidated, !invalidated.precedes(present: variant.requested) { variant.isInvalid = true }
        if let index = variants.firstIndex(where: { $0.selecting == variant.selecting }) {
            if !variants[index].isInvalid, variant.requested.precedes(variants[index].requested, at: variant.requested)
            {
                return
            }
            variants.remove(at: index)
        }
        variants.append(variant)
        if variants.count > Self.variantLimit { variants.removeFirst(variants.count - Self.variantLimit) }
    }

    /// Marks every variant as to be validated, and remembers when (RFC 9111, 4.4).
    package mutating func invalidate(at now: CacheTime) {
        invalidated = now
        for index in variants.indices { variants[index].isInvalid = true }
    }
}
