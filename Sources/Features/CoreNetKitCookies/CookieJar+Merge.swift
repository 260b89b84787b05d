import CoreNetKitChain
import CoreNetKitSystem

extension CookieJar {
    /// Computes the new state of the jar and its file; changes nothing yet.
    func merge(with file: CookieSheet, at path: String, includesSession: Bool) -> CookieMerge {
        let now = moment
        let news = read { state in
            let isLinked = state.link?.path == path
            var news = CookieNews(birth: birth)
            news.cookies = state.stores.filter { !state.unstable.contains($0.key) }.mapValues { store in
                Dictionary(store.all.filter { !$0.isExpired(at: now) }.map { ($0.place, $0) }) { first, _ in first }
            }
            news.ends = state.ends.filter { !state.unstable.contains($0.key) }
            news.removed = isLinked ? state.removed : [:]
            news.seen = isLinked ? state.link?.seen : nil
            return news
        }
        return CookieMerge(news, with: file, includesSession: includesSession, at: now)
    }

    /// Applies a merge to the jar; changes made since the merge stay.
    ///
    /// - Parameters:
    ///   - merge: The merge.
    ///   - path: The file.
    ///   - isStored: Whether the file contains the changes of the jar.
    func settle(_ merge: CookieMerge, at path: String, isStored: Bool) {
        let now = moment
        update { state in
            for partition in merge.ended {
                state.remove(partition)
                state.epochs.end(partition)
            }
            for partition in Set(merge.adopted.keys).union(merge.dropped.keys).union(merge.pushed.keys) {
                settle(merge, partition, &state, at: now, isStored: isStored)
            }
            if isStored {
                for (partition, moment) in merge.news.ends where state.ends[partition] == moment {
                    state.ends[partition] = nil
                }
                for (partition, places) in merge.news.removed {
                    for (place, moment) in places where state.removed[partition]?[place] == moment {
                        state.removed[partition]?[place] = nil
                    }
                }
            }
            let seen = isStored || !merge.isChanged ? merge.sheet.revision : merge.sheet.revision.map { $0 - 1 }
            state.link = State.Link(path: path, seen: seen ?? 0)
        }
    }

    private func settle(
        _ merge: CookieMerge,
        _ partition: String,
        _ state: inout State,
        at now: CookieNow,
        isStored: Bool
    ) {
        var store = state.stores.removeValue(forKey: partition) ?? newStore
        let before = merge.ended.contains(partition) ? [:] : merge.news.cookies[partition] ?? [:]
        /// Whether a place has not changed since the merge.
        func isAsBefore(_ place: CookiePlace) -> Bool {
            switch (store.cookie(at: place), before[place]) {
            case (nil, nil): true
            case (let now?, let then?): now.isUnchanged(since: then)
            default: false
            }
        }
        let dropped = Set((merge.dropped[partition] ?? []).filter(isAsBefore))
        if !dropped.isEmpty { store.removeAll { dropped.contains($0.place) } }
        // The file does not contain them any more.
        _ = store.takeRemoved()
        for cookie in merge.adopted[partition] ?? [] where isAsBefore(cookie.place) { store.adopt(cookie, at: now) }
        if isStored {
            for place in merge.pushed[partition] ?? [] where isAsBefore(place) {
                store.mark(place, as: CookieRevision(merge.sheet.revision))
            }
        }
        state.put(store, of: partition, limit: limits.partitions, at: now.moment)
    }
}
