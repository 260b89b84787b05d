public import CoreNetKitChain

/// All stored responses of one resource, and the invalidation generations at the time of the look-up.
public struct CacheRecord: Sendable {
    /// The stored responses, the oldest first.
    public var variants: [CacheVariant]
    /// The generations at the look-up.
    public var generations: CacheGenerations
    /// The generations of this process's memory storage, beside a storage that has its own.
    package var own: CacheGenerations

    /// The tier in which the record was found, for views of a call; `nil` if the storage does not tell.
    public var tier: CallEvent.CacheTier?
    /// The tier of content that is stored apart from its head, if it is another one.
    package var contentTier: CallEvent.CacheTier?

    /// The tier of a response of the record, that of its content first.
    func tier(of variant: CacheVariant) -> CallEvent.CacheTier? {
        // The cache keeps confidential responses in memory, whatever the storage is.
        if variant.isConfidential { return .memory }
        if case .stored = variant.content, let contentTier { return contentTier }
        return tier
    }

    package static let variantLimit = 8

    /// Creates a record that is not stored yet.
    public init() { (variants, generations, own) = ([], CacheGenerations(), CacheGenerations()) }

    /// Creates the result of a look-up, without responses from before the partition was emptied.
    public init(variants: [CacheVariant], generations: CacheGenerations) {
        (self.variants, self.generations, own) = (variants, generations, generations)
        if variants.contains(where: { $0.generations.partition != generations.partition }) {
            self.variants.removeAll { $0.generations.partition != generations.partition }
        }
    }

    /// Whether a response must be validated: its URL was invalidated after its exchange began (RFC 9111, 4.4).
    package func isInvalidated(_ variant: CacheVariant) -> Bool { !variant.isCurrent(at: generations) }

    /// The effect of an edit on a record.
    public struct Applied: Sendable {
        /// The result.
        public let result: CacheEdit.Result
        /// Responses that are not stored, or no longer: their content can be deleted.
        public let dropped: [CacheVariant]
    }

    /// Executes an edit, by the one rule of which response stays.
    ///
    /// Of two responses with the same selecting fields the one stays that was put last; if both are of one boot, the
    /// one whose exchange began later, unless only the other one is unmarked. A part of a representation is stored beside a
    /// complete one, and removed when a later one is put. Nothing is stored in a partition that was emptied after the
    /// exchange began. An invalidation changes generations, but no record.
    public mutating func apply(_ edit: CacheEdit, at now: CacheGenerations) -> Applied {
        let ended = variants.filter { $0.generations.partition != now.partition }
        if !ended.isEmpty { variants.removeAll { $0.generations.partition != now.partition } }
        switch edit {
        case .put(let variant, _, _): return put(variant, now, ended)
        case .renew(let variant, _, _): return Applied(result: renew(variant, now), dropped: ended)
        case .remove(let id, _):
            let removed = variants.filter { $0.id == id }
            variants.removeAll { $0.id == id }
            return Applied(result: .written, dropped: ended + removed)
        case .invalidate: return Applied(result: .written, dropped: ended)
        }
    }

    private mutating func put(_ variant: CacheVariant, _ now: CacheGenerations, _ ended: [CacheVariant]) -> Applied {
        var dropped = ended
        guard variant.generations.partition == now.partition else {
            return Applied(result: .refused, dropped: dropped + [variant])
        }
        if let index = variants.firstIndex(where: { $0.id == variant.id || $0.replaces(variant) }) {
            let old = variants[index]
            let isBetter = old.isCurrent(at: now) || !variant.isCurrent(at: now)
            if old.id != variant.id, isBetter, old.requestTime.follows(variant.requestTime) {
                return Applied(result: .refused, dropped: dropped + [variant])
            }
            variants.remove(at: index)
            if old.id != variant.id { dropped.append(old) }
        }
        variants.append(variant)
        if !variant.isPartial {
            let isPassed = { (old: CacheVariant) in
                old.isPartial && old.selectingFields == variant.selectingFields
                    && !old.requestTime.follows(variant.requestTime)
            }
            dropped += variants.filter(isPassed)
            variants.removeAll(where: isPassed)
        }
        while variants.count > Self.variantLimit { dropped.append(variants.removeFirst()) }
        return Applied(result: .written, dropped: dropped)
    }

    private mutating func renew(_ variant: CacheVariant, _ now: CacheGenerations) -> CacheEdit.Result {
        guard variant.generations.partition == now.partition,
            let index = variants.firstIndex(where: { $0.id == variant.id }),
            !variants[index].requestTime.follows(variant.requestTime)
        else { return .refused }
        variants[index] = variant.withContent(variants[index].content)
        return .written
    }
}

/// A change of a storage, as data: a storage may execute it where its records are.
///
/// Edits are idempotent: each may arrive twice.
public enum CacheEdit: Sendable {
    /// Stores a response with its content, replacing the one with the same selecting fields.
    ///
    /// `keepFor` is how long it can be useful, according to its fields; a storage may keep it longer.
    case put(CacheVariant, CacheKey, keepFor: Duration)
    /// Replaces the head of a stored response, which has the same ``CacheVariant/id``; its content stays.
    case renew(CacheVariant, CacheKey, keepFor: Duration)
    /// Removes a stored response.
    case remove(CacheVariant.ID, CacheKey)
    /// Invalidates all stored responses of some URLs and groups, whichever process stored them.
    case invalidate(CacheInvalidation)

    /// The result of an edit.
    public enum Result: Sendable, Hashable {
        /// The next look-up sees it.
        case written
        /// Not permitted: the partition was emptied, something newer is stored, or it is too large.
        case refused
        /// The storage failed.
        case failed
    }

    /// The resource that it changes; `nil` for an invalidation.
    public var key: CacheKey? {
        switch self {
        case .put(_, let key, _), .renew(_, let key, _), .remove(_, let key): key
        case .invalidate: nil
        }
    }
}
