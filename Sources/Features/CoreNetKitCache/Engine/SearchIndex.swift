import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Which stored URLs are equivalent to others, as their responses declare for their queries (No-Vary-Search).
///
/// Bounded in size, and only of this run of the program: a forgotten entry is a miss, and the stored response itself
/// contains everything that the index knows.
final class SearchIndex: Sendable {
    /// The URLs whose responses declared the same rule; the oldest are dropped first.
    private struct URLGroup {
        let rule: NoVarySearch
        /// Each with the counter of the path when its exchange began.
        var stored: [[NoVarySearch.Item]: (key: CacheKey, counter: UInt64)] = [:]
        var order = Fifo<[NoVarySearch.Item]>()
    }

    private struct State {
        var groups: [CacheKey: [URLGroup]] = [:]
        var order = Fifo<CacheKey>()
    }

    static let pathLimit = 256
    static let ruleLimit = 4
    static let urlLimit = 64

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.groups.isEmpty } }

    private static func path(of key: CacheKey) -> CacheKey {
        CacheKey(
            text: String(key.base),
            caller: String(key.caller),
            partition: key.partition,
            isPersistent: key.isPersistent
        )
    }

    /// Remembers that a URL's response also serves others, with the counter of its path when the exchange began.
    func note(_ rule: NoVarySearch, _ key: CacheKey, counter: UInt64) {
        let items = rule.items(of: key.query)
        state.withLock { state in
            let path = Self.path(of: key)
            if state.groups[path] == nil {
                state.order.append(path)
                if state.order.count > Self.pathLimit, let oldest = state.order.popFirst() {
                    state.groups[oldest] = nil
                }
            }
            var groups = state.groups[path] ?? []
            // The most recent rule is last.
            let known = groups.firstIndex { $0.rule == rule }.map { groups.remove(at: $0) }
            var group = known ?? URLGroup(rule: rule)
            if group.stored.updateValue((key, counter), forKey: items) == nil {
                group.order.append(items)
                if group.order.count > Self.urlLimit, let oldest = group.order.popFirst() { group.stored[oldest] = nil }
            }
            groups.append(group)
            state.groups[path] = groups.suffix(Self.ruleLimit)
        }
    }

    /// The URLs whose responses may serve another one, with their rules, the most recent rule first; a few at most.
    ///
    /// The counter is the current one of its path: after a mark of any of its URLs no entry is valid.
    func equivalents(of key: CacheKey, counter: UInt64) -> [(CacheKey, NoVarySearch)] {
        state.withLock { state in
            let groups = state.groups[Self.path(of: key)] ?? []
            return groups.reversed().compactMap { group in
                guard let stored = group.stored[group.rule.items(of: key.query)], stored.counter == counter,
                    stored.key != key
                else { return nil }
                return (stored.key, group.rule)
            }
        }
    }
}

extension CacheKey {
    var base: Substring { url.prefix { $0 != "?" && $0 != "#" } }

    var query: Substring? {
        let resource = resource
        return resource.firstIndex(of: "?").map { resource[resource.index(after: $0)...] }
    }

    /// The key whose counter changes with every mark of any URL of the path; no resource has this key.
    var path: CacheKey { CacheKey(text: "\(base)#", partition: partition, isPersistent: isPersistent) }
}

extension CacheEngine {
    /// The finding for a stored response of another URL that declares that the queries are equivalent (No-Vary-Search).
    ///
    /// Only if it can be used without validation: a response is validated under its own URL.
    func equivalent(_ lookup: CacheLookup) async -> CacheFinding? {
        guard !search.isEmpty, let counter = vault.pathCounter(of: lookup.key) else { return nil }
        for (key, rule) in search.equivalents(of: lookup.key, counter: counter) {
            let finding = await findOwn(CacheLookup(key: key, facts: lookup.facts, deadline: lookup.deadline))
            guard let variant = finding.used, NoVarySearch(variant.headers) == rule else { continue }
            return finding
        }
        return nil
    }

    func noteSearch(_ headers: Headers, _ finding: CacheFinding) {
        guard headers.contains("No-Vary-Search"), let counter = finding.pathCounter,
            let rule = NoVarySearch(headers)
        else { return }
        search.note(rule, finding.key, counter: counter)
    }

    /// Removes the stored responses of a URL's origin for one caller (Clear-Site-Data); those in flight are not stored.
    func clear(originOf url: URL, in scope: CacheScope) async {
        clears.withLock { $0 += 1 }
        await vault.within(scope.deadline).removeAll(ofOriginOf: key(of: url, in: scope))
    }
}
