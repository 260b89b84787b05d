import CoreNetKitSystem

/// Which stored URLs stand for others, by what their responses said of their queries (No-Vary-Search).
///
/// Of bounded size, and of this run of the program only: what it has forgotten is a miss, and it says nothing that the
/// stored response does not say itself.
package final class SearchIndex: Sendable {
    /// A path for which something is known.
    private struct Place: Hashable {
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

    /// The URLs whose responses gave one rule; the oldest go first.
    private struct Shelf {
        let rule: NoVarySearch
        var stored: [[NoVarySearch.Item]: Stored] = [:]
        var order: [[NoVarySearch.Item]] = []
    }

    private struct State {
        var shelves: [Place: [Shelf]] = [:]
        var order: [Place] = []
    }

    static let placeLimit = 256
    static let ruleLimit = 4
    static let urlLimit = 64

    private let state = Locked(State())

    package init() {}

    /// Whether nothing is known.
    var isEmpty: Bool { state.withLock { $0.shelves.isEmpty } }

    /// Remembers that a URL's response is that of others, too.
    ///
    /// - Parameters:
    ///   - rule: What the response says.
    ///   - key: The URL.
    ///   - counter: The counter of its path when the exchange began.
    func note(_ rule: NoVarySearch, _ key: CacheKey, counter: UInt64) {
        let items = rule.items(of: key.query)
        state.withLock { state in
            let place = Place(of: key)
            if state.shelves[place] == nil {
                state.order.append(place)
                if state.order.count > Self.placeLimit { state.shelves[state.order.removeFirst()] = nil }
            }
            var shelves = state.shelves[place] ?? []
            // Last is what was said last.
            let known = shelves.firstIndex { $0.rule == rule }.map { shelves.remove(at: $0) }
            var shelf = known ?? Shelf(rule: rule)
            if shelf.stored.updateValue(Stored(key: key, counter: counter), forKey: items) == nil {
                shelf.order.append(items)
                if shelf.order.count > Self.urlLimit { shelf.stored[shelf.order.removeFirst()] = nil }
            }
            shelves.append(shelf)
            state.shelves[place] = shelves.suffix(Self.ruleLimit)
        }
    }

    /// The URLs whose responses may be given for another one, with the rule that says so; a few at most.
    ///
    /// - Parameters:
    ///   - key: The other one.
    ///   - counter: The counter of its path now: after a change of any URL of it nothing is believed.
    /// - Returns: URLs with the rules that say so, what was said last first.
    func equivalents(of key: CacheKey, counter: UInt64) -> [(CacheKey, NoVarySearch)] {
        state.withLock { state in
            let shelves = state.shelves[Place(of: key)] ?? []
            return shelves.reversed().compactMap { shelf in
                guard let stored = shelf.stored[shelf.rule.items(of: key.query)], stored.counter == counter,
                    stored.key != key
                else { return nil }
                return (stored.key, shelf.rule)
            }
        }
    }
}

extension CacheKey {
    /// The URL without its query.
    var base: Substring { url.prefix { $0 != "?" && $0 != "#" } }

    /// What stands behind the `?`.
    var query: Substring? {
        let resource = resource
        return resource.firstIndex(of: "?").map { resource[resource.index(after: $0)...] }
    }

    /// Whose counter changes with every mark of any URL of the path; the name of no resource.
    var path: CacheKey { CacheKey(text: "\(base)#", partition: partition, isPersistent: isPersistent) }
}
