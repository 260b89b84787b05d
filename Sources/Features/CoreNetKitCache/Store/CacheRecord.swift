public import CoreNetKitChain

/// All stored responses of one resource, and the mark counters at the time of the look-up.
public struct CacheRecord: Sendable {
    /// The stored responses, the oldest first.
    public var variants: [CacheVariant]
    /// The counters as they were at the look-up.
    public var counters: CacheCounters
    /// Those that this process counted itself, beside a storage that counts elsewhere.
    package var own: CacheCounters

    /// Where the record was found, for views of a call; `nil` where the storage does not say.
    public var tier: CallEvent.CacheTier?
    /// Where content is that is not beside its head, where that is not the same place.
    package var contentTier: CallEvent.CacheTier?

    /// Where a response of the record is, its content first.
    func tier(of variant: CacheVariant) -> CallEvent.CacheTier? {
        // The cache keeps that in memory, whatever the storage is.
        if variant.isConfidential { return .memory }
        if case .stored = variant.content, let contentTier { return contentTier }
        return tier
    }

    /// The most variants that one resource keeps.
    package static let variantLimit = 8

    /// Creates a record that is nowhere stored yet.
    public init() {
        (variants, counters, own) = ([], CacheCounters(), CacheCounters())
    }

    /// Creates what a look-up finds.
    ///
    /// - Parameters:
    ///   - variants: The stored responses, the oldest first; those that were stored before their partition was emptied are
    ///     left out.
    ///   - counters: What is counted now.
    public init(variants: [CacheVariant], counters: CacheCounters) {
        self.variants = variants
        self.counters = counters
        own = counters
        if variants.contains(where: { $0.counters.partition != counters.partition }) {
            self.variants.removeAll { $0.counters.partition != counters.partition }
        }
    }

    /// Whether a response must be validated: its URL was marked after its exchange began (RFC 9111, 4.4).
    package func isMarked(_ variant: CacheVariant) -> Bool { !variant.isCurrent(at: counters) }

    /// What an edit did to a record.
    public struct Applied: Sendable {
        /// What became of it.
        public let result: CacheEdit.Result
        /// Responses that are not stored, or not any more: their content is nobody's.
        public let dropped: [CacheVariant]
    }

    /// Carries an edit out: the one rule of which response stays.
    ///
    /// Of two responses to the same selecting fields the one stays that was put last; where both are of one run, the one
    /// whose exchange began later, unless only the other one is not marked. A part of a representation stands beside a
    /// whole one, and goes when a later one is put. Nothing comes back to a partition that was emptied after its exchange
    /// began.
    ///
    /// - Parameters:
    ///   - edit: The edit; a mark changes counters, and no record.
    ///   - now: The counters as they are now.
    /// - Returns: The outcome.
    public mutating func apply(_ edit: CacheEdit, at now: CacheCounters) -> Applied {
        let ended = variants.filter { $0.counters.partition != now.partition }
        if !ended.isEmpty { variants.removeAll { $0.counters.partition != now.partition } }
        switch edit {
        case .put(let variant, _, _): return put(variant, now, ended)
        case .renew(let variant, _, _): return Applied(result: renew(variant, now), dropped: ended)
        case .remove(let id, _):
            let removed = variants.filter { $0.id == id }
            variants.removeAll { $0.id == id }
            return Applied(result: .written, dropped: ended + removed)
        case .mark: return Applied(result: .written, dropped: ended)
        }
    }

    private mutating func put(_ variant: CacheVariant, _ now: CacheCounters, _ ended: [CacheVariant]) -> Applied {
        var dropped = ended
        guard variant.counters.partition == now.partition else {
            return Applied(result: .refused, dropped: dropped + [variant])
        }
        if let index = variants.firstIndex(where: { $0.id == variant.id || $0.hasPlace(of: variant) }) {
            let old = variants[index]
            let isBetter = old.isCurrent(at: now) || !variant.isCurrent(at: now)
            if old.id != variant.id, isBetter, old.requested.follows(variant.requested) {
                return Applied(result: .refused, dropped: dropped + [variant])
            }
            variants.remove(at: index)
            if old.id != variant.id { dropped.append(old) }
        }
        variants.append(variant)
        if !variant.isPart {
            let isPassed = { (old: CacheVariant) in
                old.isPart && old.selecting == variant.selecting && !old.requested.follows(variant.requested)
            }
            dropped += variants.filter(isPassed)
            variants.removeAll(where: isPassed)
        }
        while variants.count > Self.variantLimit { dropped.append(variants.removeFirst()) }
        return Applied(result: .written, dropped: dropped)
    }

    private mutating func renew(_ variant: CacheVariant, _ now: CacheCounters) -> CacheEdit.Result {
        guard variant.counters.partition == now.partition,
            let index = variants.firstIndex(where: { $0.id == variant.id }),
            !variants[index].requested.follows(variant.requested)
        else { return .refused }
        variants[index] = variant.holding(variants[index].content)
        return .written
    }
}
