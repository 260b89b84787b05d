import CoreNetKitSystem

/// The result of synchronizing a jar with its file: a value without lock and file.
///
/// Each side adopts the other's changes since the jar last read the file; if both changed a cookie, the later change
/// stays. A sign-out also removes the cookies of processes that have not seen it yet: cookies received for the ended session
/// must not restore it.
struct CookieMerge: Sendable {
    /// The new content of the file.
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
    /// The changes of the jar.
    let changes: CookieChanges

    private var records: [String: [CookieID: Cookie]]
    private var ends: [CookieRemoval]
    private let seen: UInt64?
    private let next: UInt64
    private let now: JarTime

    /// The maximum number of ends in a file.
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
            Dictionary(cookies.map { ($0.id, $0) }) { $0.stored.number ?? 0 > $1.stored.number ?? 0 ? $0 : $1 }
        }
        ends = file.ended ?? []
        ended = Set(
            ends.filter { $0.place == nil && isUnseen($0) && changes.ends[$0.partition] == nil }.map(\.partition)
        )
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

    private func isNew(_ cookie: Cookie) -> Bool { seen.map { cookie.stored.number ?? 0 > $0 } ?? true }

    private mutating func end(_ partition: String, at moment: WallMoment) {
        records[partition] = nil
        ends.removeAll { $0.partition == partition }
        ends.append(CookieRemoval(partition, nil, revision: next, at: moment))
        isChanged = true
    }

    /// Merges one cookie of the jar.
    private mutating func mergeCookie(_ cookie: Cookie, _ id: CookieID, of partition: String, _ session: Bool) {
        let there = records[partition]?[id]
        if let number = cookie.stored.number, seen != nil {
            guard let there else { return dropped[partition, default: []].append(id) }
            if there.stored.number != number { adopted[partition, default: []].append(there) }
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
        stored.stored = CookieRevision(next)
        records[partition, default: [:]][id] = stored
        ends.removeAll { $0.partition == partition && $0.place == id }
        pushed[partition, default: []].append(id)
        isChanged = true
    }

    /// Merges one removal of the jar.
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
