import CoreNetKitChain
import CoreNetKitSystem

/// The result of synchronizing a jar with its file: a value without lock and file.
///
/// Each side adopts the other's changes since the jar last read the file, of two the later one. A sign-out also removes
/// the cookies of processes that have not seen it yet, which must not restore the session.
struct CookieMerge: Sendable {
    private(set) var content: CookieFileContent
    /// Whether it differs from the current content.
    private(set) var isChanged = false
    /// Cookies that the jar adopts.
    private(set) var adopted: [String: [Cookie]] = [:]
    /// Cookies that others have removed.
    private(set) var dropped: [String: [CookieID]] = [:]
    /// Partitions whose users have signed out elsewhere.
    private(set) var ended: Set<String> = []
    /// Cookies that the file adopts from the jar.
    private(set) var pushed: [String: [CookieID]] = [:]
    let changes: CookieChanges

    private var records: [String: [CookieID: Cookie]]
    private var ends: [CookieRemoval]
    private let seen: UInt64?
    private let next: UInt64
    private let now: JarTime

    static let mostEnds = 4096

    init(_ changes: CookieChanges, with file: CookieFileContent, includesSession: Bool, at now: JarTime) {
        self.changes = changes
        self.now = now
        let revision = file.revision ?? 0
        // An older revision: the file was replaced by another one.
        seen = changes.seen.flatMap { $0 <= revision ? $0 : nil }
        next = revision + 1
        content = file
        records = file.partitions.mapValues { cookies in
            Dictionary(cookies.map { ($0.id, $0) }) { $0.revision.number ?? 0 > $1.revision.number ?? 0 ? $0 : $1 }
        }
        ends = file.ended ?? []
        let newEnds = ends.filter { $0.place == nil && isUnseen($0) && changes.ends[$0.partition] == nil }
        ended = Set(newEnds.map(\.partition))
        for (partition, moment) in changes.ends { end(partition, at: moment) }
        for (partition, cookies) in changes.cookies where !ended.contains(partition) {
            for (id, cookie) in cookies { mergeCookie(cookie, id, of: partition, includesSession) }
        }
        for (partition, ids) in changes.removed where !ended.contains(partition) {
            for (id, moment) in ids { remove(id, of: partition, at: moment) }
        }
        adoptRest()
        finish()
    }

    /// Whether a jar's cookies were set without knowledge of an end.
    private func isUnseen(_ end: CookieRemoval) -> Bool {
        if let seen { return end.revision > seen }
        return !end.moment.precedes(changes.birth, at: now.moment)
    }

    private func isNew(_ cookie: Cookie) -> Bool { seen.map { cookie.revision.number ?? 0 > $0 } ?? true }

    private mutating func end(_ partition: String, at moment: WallMoment) {
        records[partition] = nil
        ends.removeAll { $0.partition == partition }
        ends.append(CookieRemoval(partition, nil, revision: next, at: moment))
        isChanged = true
    }

    private mutating func mergeCookie(_ cookie: Cookie, _ id: CookieID, of partition: String, _ session: Bool) {
        let there = records[partition]?[id]
        if let number = cookie.revision.number, seen != nil {
            guard let there else { return dropped[partition, default: []].append(id) }
            if there.revision.number != number { adopted[partition, default: []].append(there) }
            return
        }
        let isRemoved = ends.contains {
            $0.partition == partition && $0.place == id && isUnseen($0)
                && !$0.moment.precedes(cookie.setAt, at: now.moment)
        }
        if isRemoved { return dropped[partition, default: []].append(id) }
        if let there, isNew(there), cookie.setAt.precedes(there.setAt, at: now.moment) {
            return adopted[partition, default: []].append(there)
        }
        guard cookie.expires != nil || session else {
            // A persistent cookie was replaced by a session cookie.
            if there != nil { drop(id, of: partition, at: cookie.setAt) }
            return
        }
        var stored = cookie
        stored.revision = CookieRevision(next)
        records[partition, default: [:]][id] = stored
        ends.removeAll { $0.partition == partition && $0.place == id }
        pushed[partition, default: []].append(id)
        isChanged = true
    }

    private mutating func remove(_ id: CookieID, of partition: String, at moment: WallMoment) {
        guard let there = records[partition]?[id], changes.cookies[partition]?[id] == nil else { return }
        if isNew(there), moment.precedes(there.setAt, at: now.moment) { return }
        drop(id, of: partition, at: moment)
    }

    private mutating func drop(_ id: CookieID, of partition: String, at moment: WallMoment) {
        records[partition]?[id] = nil
        ends.append(CookieRemoval(partition, id, revision: next, at: moment))
        isChanged = true
    }

    /// Adopts cookies that others have stored and the jar does not have.
    private mutating func adoptRest() {
        for (partition, cookies) in records {
            let known = ended.contains(partition) ? nil : changes.cookies[partition]
            let rest = cookies.values.filter { known?[$0.id] == nil && !$0.isExpired(at: now) }
            if !rest.isEmpty { adopted[partition, default: []] += rest }
        }
    }

    private mutating func finish() {
        let isOld = records.values.joined().contains { $0.value.isExpired(at: now) }
        guard isChanged || isOld else { return }
        isChanged = true
        content.partitions = records.mapValues { cookies in
            cookies.values.filter { !$0.isExpired(at: now) }.sorted { $0.created < $1.created }
        }.filter { !$0.value.isEmpty }
        content.ended = ends.isEmpty ? nil : Array(ends.sorted { $0.revision < $1.revision }.suffix(Self.mostEnds))
        content.revision = next
    }
}

/// Versions without revisions and ends can read the cookies.
struct CookieFileContent: Codable, Sendable {
    var version = 1
    var partitions: [String: [Cookie]] = [:]
    var revision: UInt64?
    /// Removals, for processes that still have the cookies.
    var ended: [CookieRemoval]?
}

/// The removal of a cookie, or of a partition whose user has signed out.
struct CookieRemoval: Codable, Sendable {
    let partition: String
    /// `nil` for the whole partition.
    var place: CookieID?
    let revision: UInt64
    private let at: CookieReceiptTime

    init(_ partition: String, _ place: CookieID?, revision: UInt64, at moment: WallMoment) {
        (self.partition, self.place, self.revision) = (partition, place, revision)
        at = CookieReceiptTime(moment)
    }

    var moment: WallMoment { at.moment ?? WallMoment(wall: 0) }
}

struct CookieChanges: Sendable {
    /// All its cookies, except those of partitions that are meaningless in another process.
    var cookies: [String: [CookieID: Cookie]] = [:]
    /// Cookies that it has removed since it was last stored.
    var removed: [String: [CookieID: WallMoment]] = [:]
    /// Partitions whose users have signed out since then.
    var ends: [String: WallMoment] = [:]
    /// The revision that the jar last read; `nil` for none.
    var seen: UInt64?
    let birth: WallMoment
}

extension CookieJar {
    /// Computes the new state of the jar and its file; changes nothing yet.
    func merge(with file: CookieFileContent, at path: String, includesSession: Bool) -> CookieMerge {
        let now = now()
        let changes = state.withLock { state in
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

    /// Applies a merge with a file, which may contain the jar's changes by now; changes made since the merge stay.
    func apply(_ merge: CookieMerge, at path: String, isStored: Bool) {
        let now = now()
        state.withLock { state in
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
            state.link = (path, seen ?? 0)
        }
    }

    private func apply(_ merge: CookieMerge, _ partition: String, _ state: inout State, at now: JarTime, isStored: Bool)
    {
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
        for cookie in merge.adopted[partition] ?? [] where isAsBefore(cookie.id) {
            store.insert(cookie, at: now, isFromFile: true)
        }
        if isStored {
            for id in merge.pushed[partition] ?? [] where isAsBefore(id) {
                store.mark(id, as: CookieRevision(merge.content.revision))
            }
        }
        state.put(store, of: partition, limit: limits.partitions, at: now.moment)
    }
}
