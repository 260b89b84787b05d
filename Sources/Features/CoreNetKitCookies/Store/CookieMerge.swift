import CoreNetKitSystem

/// The result of synchronizing a jar with its file: a value without lock and file.
///
/// Each side adopts the other's changes since the jar last read the file; if both changed a cookie, the later change
/// stays. A sign-out also removes the cookies of processes that have not seen it yet: cookies received for the ended session
/// must not restore it.
struct CookieMerge: Sendable {
    /// The new content of the file.
    private(set) var sheet: CookieSheet
    /// Whether it differs from the current content.
    private(set) var isChanged = false
    /// Cookies that the jar adopts.
    private(set) var adopted: [String: [Cookie]] = [:]
    /// Cookies that others have removed.
    private(set) var dropped: [String: [CookiePlace]] = [:]
    /// Partitions whose users have signed out elsewhere.
    private(set) var ended: Set<String> = []
    /// Cookies that the file adopts from the jar.
    private(set) var pushed: [String: [CookiePlace]] = [:]
    /// The changes of the jar.
    let news: CookieNews

    private var records: [String: [CookiePlace: Cookie]]
    private var ends: [CookieEnd]
    private let seen: UInt64?
    private let next: UInt64
    private let now: CookieNow

    /// The maximum number of ends in a file.
    static let mostEnds = 4096

    init(_ news: CookieNews, with file: CookieSheet, includesSession: Bool, at now: CookieNow) {
        self.news = news
        self.now = now
        let revision = file.revision ?? 0
        // An older revision: the file was replaced by another one.
        seen = news.seen.flatMap { $0 <= revision ? $0 : nil }
        next = revision + 1
        sheet = file
        records = file.partitions.mapValues { cookies in
            Dictionary(cookies.map { ($0.place, $0) }) { $0.stored.number ?? 0 > $1.stored.number ?? 0 ? $0 : $1 }
        }
        ends = file.ended ?? []
        ended = Set(ends.filter { $0.place == nil && isUnseen($0) && news.ends[$0.partition] == nil }.map(\.partition))
        for (partition, moment) in news.ends { end(partition, at: moment) }
        for (partition, cookies) in news.cookies where !ended.contains(partition) {
            for (place, cookie) in cookies { bring(cookie, place, of: partition, includesSession) }
        }
        for (partition, places) in news.removed where !ended.contains(partition) {
            for (place, moment) in places { remove(place, of: partition, at: moment) }
        }
        adoptRest()
        finish()
    }

    /// Whether a jar's cookies were set without knowledge of an end.
    private func isUnseen(_ end: CookieEnd) -> Bool {
        if let seen { return end.revision > seen }
        return !end.moment.precedes(news.birth, at: now.moment)
    }

    private func isNew(_ cookie: Cookie) -> Bool { seen.map { cookie.stored.number ?? 0 > $0 } ?? true }

    private mutating func end(_ partition: String, at moment: WallMoment) {
        records[partition] = nil
        ends.removeAll { $0.partition == partition }
        ends.append(CookieEnd(partition, nil, revision: next, at: moment))
        isChanged = true
    }

    /// Merges one cookie of the jar.
    private mutating func bring(_ cookie: Cookie, _ place: CookiePlace, of partition: String, _ session: Bool) {
        let there = records[partition]?[place]
        if let number = cookie.stored.number, seen != nil {
            guard let there else { return dropped[partition, default: []].append(place) }
            if there.stored.number != number { adopted[partition, default: []].append(there) }
            return
        }
        let isRemoved = ends.contains {
            $0.partition == partition && $0.place == place && isUnseen($0)
                && !$0.moment.precedes(cookie.setAt, at: now.moment)
        }
        if isRemoved { return dropped[partition, default: []].append(place) }
        if let there, isNew(there), cookie.setAt.precedes(there.setAt, at: now.moment) {
            return adopted[partition, default: []].append(there)
        }
        guard cookie.expires != nil || session else {
            // A persistent cookie was replaced by a session cookie.
            if there != nil { drop(place, of: partition, at: cookie.setAt) }
            return
        }
        var stored = cookie
        stored.stored = CookieRevision(next)
        records[partition, default: [:]][place] = stored
        ends.removeAll { $0.partition == partition && $0.place == place }
        pushed[partition, default: []].append(place)
        isChanged = true
    }

    /// Merges one removal of the jar.
    private mutating func remove(_ place: CookiePlace, of partition: String, at moment: WallMoment) {
        guard let there = records[partition]?[place], news.cookies[partition]?[place] == nil else { return }
        if isNew(there), moment.precedes(there.setAt, at: now.moment) { return }
        drop(place, of: partition, at: moment)
    }

    private mutating func drop(_ place: CookiePlace, of partition: String, at moment: WallMoment) {
        records[partition]?[place] = nil
        ends.append(CookieEnd(partition, place, revision: next, at: moment))
        isChanged = true
    }

    /// Adopts cookies that others have stored and the jar does not have.
    private mutating func adoptRest() {
        for (partition, cookies) in records {
            let known = ended.contains(partition) ? nil : news.cookies[partition]
            let rest = cookies.values.filter { known?[$0.place] == nil && !$0.isExpired(at: now) }
            if !rest.isEmpty { adopted[partition, default: []] += rest }
        }
    }

    private mutating func finish() {
        let isOld = records.values.joined().contains { $0.value.isExpired(at: now) }
        guard isChanged || isOld else { return }
        isChanged = true
        sheet.partitions = records.mapValues { cookies in
            cookies.values.filter { !$0.isExpired(at: now) }.sorted { $0.created < $1.created }
        }.filter { !$0.value.isEmpty }
        sheet.ended = ends.isEmpty ? nil : Array(ends.sorted { $0.revision < $1.revision }.suffix(Self.mostEnds))
        sheet.revision = next
    }
}
