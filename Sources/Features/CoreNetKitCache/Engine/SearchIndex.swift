import CoreNetKitSystem

/// Which stored URLs are equivalent to others, as their responses declare for their queries (No-Vary-Search).
///
/// Bounded in size, and only of this run of the program: a forgotten entry is a miss, and the stored response itself
/// contains everything that the index knows.
package final class SearchIndex: Sendable {
    /// A path with known rules.
    private struct PathKey: Hashable {
        let base: Substring
        let partition: String
        let caller: Substring

        init(of key: CacheKey) { (base, partition, caller) = (key.base, key.partition, key.caller) }
    }

    private struct Stored {
        let key: CacheKey
        /// The counter of the path when its exchange began.
        let counter: UInt64
    }

    /// The URLs whose responses declared the same rule; the oldest are dropped first.
    private struct URLGroup {
        let rule: NoVarySearch
        var stored: [[NoVarySearch.Item]: Stored] = [:]
        var order: [[NoVarySearch.Item]] = []
    }

    private struct State {
        var groups: [PathKey: [URLGroup]] = [:]
        var order: [PathKey] = []
    }

    static let pathLimit = 256
    static let ruleLimit = 4
    static let urlLimit = 64

    private let state = Locked(State())

    package init() {}

    /// Whether nothing is known.
    var isEmpty: Bool { state.withLock { $0.groups.isEmpty } }

    /// Remembers that a URL's response also serves others.
    ///
    /// - Parameters:
    ///   - rule: The rule in the response.
    ///   - key: The URL.
    ///   - counter: The counter of its path when the exchange began.
    func note(_ rule: NoVarySearch, _ key: CacheKey, counter: UInt64) {
        let items = rule.items(of: key.query)
        state.withLock { state in
            let path = PathKey(of: key)
            if state.groups[path] == nil {
                state.order.append(path)
                if state.order.count > Self.pathLimit { state.groups[state.order.removeFirst()] = nil }
            }
            var groups = state.groups[path] ?? []
            // The most recent rule is last.
            let known = groups.firstIndex { $0.rule == rule }.map { groups.remove(at: $0) }
            var group = known ?? URLGroup(rule: rule)
            if group.stored.updateValue(Stored(key: key, counter: counter), forKey: items) == nil {
                group.order.append(items)
                if group.order.count > Self.urlLimit { group.stored[group.order.removeFirst()] = nil }
            }
            groups.append(group)
            state.groups[path] = groups.suffix(Self.ruleLimit)
        }
    }

    /// The URLs whose responses may serve another one, with the rule; a few at most.
    ///
    /// - Parameters:
    ///   - key: The other one.
    ///   - counter: The current counter of its path: after a mark of any of its URLs no entry is valid.
    /// - Returns: URLs with their rules, the most recent rule first.
    func equivalents(of key: CacheKey, counter: UInt64) -> [(CacheKey, NoVarySearch)] {
        state.withLock { state in
            let groups = state.groups[PathKey(of: key)] ?? []
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
    /// The URL without its query.
    var base: Substring { url.prefix { $0 != "?" && $0 != "#" } }

    /// The part of the URL after the `?`.
    var query: Substring? {
        let resource = resource
        return resource.firstIndex(of: "?").map { resource[resource.index(after: $0)...] }
    }

    /// The key whose counter changes with every mark of any URL of the path; no resource has this key.
    var path: CacheKey { CacheKey(text: "\(base)#", partition: partition, isPersistent: isPersistent) }
}
