import CoreNetKitChain
import CoreNetKitSystem

extension CookieJar {
    /// Computes the new state of the jar and its file; changes nothing yet.
    func merge(with file: CookieFileContent, at path: String, includesSession: Bool) -> CookieMerge {
        let now = moment
        let changes = read { state in
            let isLinked = state.link?.path == path
            var changes = CookieChanges(birth: birth)
            changes.cookies = state.stores.filter { !state.unstable.contains($0.key) }.mapValues { store in
                Dictionary(store.all.filter { !$0.isExpired(at: now) }.map { ($0.id, $0) }) { first, _ in first }
            }
            changes.ends = state.ends.filter { !state.unstable.contains($0.key) }
            changes.removed = isLinked ? state.removed : [:]
            changes.seen = isLinked ? state.link?.seen : nil
            return changes
        }
        return CookieMerge(changes, with: file, includesSession: includesSession, at: now)
    }

    /// Applies a merge to the jar; changes made since the merge stay.
    ///
    /// - Parameters:
    ///   - merge: The merge.
    ///   - path: The file.
    ///   - isStored: Whether the file contains the changes of the jar.
    func apply(_ merge: CookieMerge, at path: String, isStored: Bool) {
        let now = moment
        update { state in
            for partition in merge.ended {
                state.remove(partition)
                state.epochs.end(partition)
            }
            for partition in Set(merge.adopted.keys).union(merge.dropped.keys).union(merge.pushed.keys) {
                apply(merge, partition, &state, at: now, isStored: isStored)
            }
            if isStored {
                for (partition, moment) in merge.changes.ends where state.ends[partition] == moment {
                    state.ends[partition] = nil
                }
                for (partition, ids) in merge.changes.removed {
                    for (id, moment) in ids where state.removed[partition]?[id] == moment {
                        state.removed[partition]?[id] = nil
                    }
                }
            }
            let seen = isStored || !merge.isChanged ? merge.content.revision : merge.content.revision.map { $0 - 1 }
            state.link = State.Link(path: path, seen: seen ?? 0)
        }
    }

    private func apply(
        _ merge: CookieMerge,
        _ partition: String,
        _ state: inout State,
        at now: JarTime,
        isStored: Bool
    ) {
        var store = state.stores.removeValue(forKey: partition) ?? newStore
        let before = merge.ended.contains(partition) ? [:] : merge.changes.cookies[partition] ?? [:]
        /// Whether a cookie has not changed since the merge.
        func isAsBefore(_ id: CookieID) -> Bool {
            switch (store.cookie(with: id), before[id]) {
            case (nil, nil): true
            case (let now?, let then?): now.isUnchanged(since: then)
            default: false
            }
        }
        let dropped = Set((merge.dropped[partition] ?? []).filter(isAsBefore))
        if !dropped.isEmpty { store.removeAll { dropped.contains($0.id) } }
        // The file does not contain them any more.
        _ = store.takeRemoved()
        for cookie in merge.adopted[partition] ?? [] where isAsBefore(cookie.id) { store.adopt(cookie, at: now) }
        if isStored {
            for id in merge.pushed[partition] ?? [] where isAsBefore(id) {
                store.mark(id, as: CookieRevision(merge.content.revision))
            }
        }
        state.put(store, of: partition, limit: limits.partitions, at: now.moment)
    }
}
