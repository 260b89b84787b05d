import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Which stored URLs are equivalent to others, as their responses declare for their queries (No-Vary-Search).
///
/// Bounded in size, and only of this run of the program: a forgotten entry is a miss.
final class SearchIndex: Sendable {
    /// The values of a limited number of keys; the oldest ones are dropped first.
    private struct Latest<Key: Hashable, Value> {
        let limit: Int
        private(set) var values: [Key: Value] = [:]
        private var order = Fifo<Key>()

        init(_ limit: Int) { self.limit = limit }

        mutating func set(_ value: Value, for key: Key) {
            guard values.updateValue(value, forKey: key) == nil else { return }
            order.append(key)
            if order.count > limit, let oldest = order.popFirst() { values[oldest] = nil }
        }
    }

    /// The URLs whose responses declared the same rule, each with the generation of the path when its exchange began.
    private struct URLGroup {
        let rule: NoVarySearch
        var stored = Latest<[NoVarySearch.Item], (key: CacheKey, generation: UInt64)>(64)
    }

    private static let ruleLimit = 4

    private let paths = Locked(Latest<CacheKey, [URLGroup]>(256))

    var isEmpty: Bool { paths.withLock { $0.values.isEmpty } }

    private static func path(of key: CacheKey) -> CacheKey {
        CacheKey(
            text: String(key.base),
            caller: String(key.caller),
            partition: key.partition,
            isPersistent: key.isPersistent
        )
    }

    /// Remembers that a URL's response also serves others, with the generation of its path when the exchange began.
    func note(_ rule: NoVarySearch, _ key: CacheKey, generation: UInt64) {
        let items = rule.items(of: key.query)
        paths.withLock { paths in
            let path = Self.path(of: key)
            var groups = paths.values[path] ?? []
            // The most recent rule is last.
            let known = groups.firstIndex { $0.rule == rule }.map { groups.remove(at: $0) }
            var group = known ?? URLGroup(rule: rule)
            group.stored.set((key, generation), for: items)
            groups.append(group)
            paths.set(groups.suffix(Self.ruleLimit), for: path)
        }
    }

    /// The URLs whose responses may serve another one, by the generation of its path now, the most recent rule first.
    func equivalents(of key: CacheKey, generation: UInt64) -> [(CacheKey, NoVarySearch)] {
        let groups = paths.withLock { $0.values[Self.path(of: key)] } ?? []
        return groups.reversed().compactMap { group in
            guard let stored = group.stored.values[group.rule.items(of: key.query)], stored.generation == generation,
                stored.key != key
            else { return nil }
            return (stored.key, group.rule)
        }
    }
}

extension CacheKey {
    var base: Substring { url.prefix { $0 != "?" && $0 != "#" } }

    var query: Substring? {
        let resource = resource
        return resource.firstIndex(of: "?").map { resource[resource.index(after: $0)...] }
    }

    /// The key whose generation changes with every invalidation of any URL of the path; no resource has this key.
    var path: CacheKey { CacheKey(text: "\(base)#", partition: partition, isPersistent: isPersistent) }
}

extension CacheEngine {
    /// The finding for the response of an equivalent URL (No-Vary-Search), if it can be used without validation.
    func equivalent(_ lookup: CacheLookup) async -> CacheFinding? {
        guard !search.isEmpty, let generation = vault.pathGeneration(of: lookup.key) else { return nil }
        for (key, rule) in search.equivalents(of: lookup.key, generation: generation) {
            let finding = await findExact(CacheLookup(key: key, facts: lookup.facts, deadline: lookup.deadline))
            guard let variant = finding.usedVariant, NoVarySearch(variant.headers) == rule else { continue }
            return finding
        }
        return nil
    }

    func noteSearch(_ headers: Headers, _ finding: CacheFinding) {
        guard let generation = finding.pathGeneration, let rule = NoVarySearch(headers) else { return }
        search.note(rule, finding.key, generation: generation)
    }

    /// Removes the stored responses of a URL's origin for one caller (Clear-Site-Data); those in flight are not stored.
    func clear(originOf url: URL, in scope: CacheScope) async {
        clearedOriginCount.withLock { $0 += 1 }
        await vault.within(scope.deadline).removeAll(ofOriginOf: key(of: url, in: scope))
    }
}
