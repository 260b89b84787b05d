/// The pages as the server sent them, and on top the changes that it has not confirmed, in their order.
///
/// A failed change is left out of the pile and nothing else moves: there is no copy to go back to that could undo the
/// changes of others.
struct AlarmListState: Sendable {
    struct Pending: Sendable {
        let id: Int
        let change: AlarmChange
    }

    private(set) var base: [Alarm] = []
    private var unread = 0
    private var cursor: Int?
    private var hasMore = false
    private var isLoaded = false
    private var skipped = 0
    private var pending: [Pending] = []
    /// Confirmed since the page that is under way was asked for; its answer may be older than they are.
    private var settled: [AlarmChange] = []
    private var isPageUnderWay = false

    var newest: Int? { base.first?.sequence }

    /// What to load next; `nil` when there is no more.
    var nextBefore: Int? { hasMore ? cursor : nil }

    var snapshot: AlarmSnapshot {
        var snapshot = AlarmSnapshot()
        snapshot.alarms = base
        snapshot.unreadCount = unread
        for operation in pending {
            operation.change.apply(to: &snapshot.alarms, unread: &snapshot.unreadCount)
        }
        snapshot.hasMore = hasMore
        snapshot.isLoaded = isLoaded
        snapshot.skipped = skipped
        return snapshot
    }

    func alarm(_ sequence: Int) -> Alarm? {
        base.first { $0.sequence == sequence }
    }

    // MARK: - Pages

    mutating func beginPage() {
        settled = []
        isPageUnderWay = true
    }

    mutating func endPage() {
        settled = []
        isPageUnderWay = false
    }

    /// Takes the newest page in place of all that was loaded.
    mutating func refresh(_ page: AlarmPage) {
        base = page.alarms
        skipped = page.skipped
        isLoaded = true
        take(page, after: nil)
    }

    /// Takes an older page behind what was loaded; what is there already, or was not asked for, is not taken twice.
    mutating func append(_ page: AlarmPage, after cursor: Int) {
        let known = Set(base.map(\.sequence))
        base += page.alarms.filter { $0.sequence < cursor && !known.contains($0.sequence) }
        skipped += page.skipped
        take(page, after: cursor)
    }

    private mutating func take(_ page: AlarmPage, after previous: Int?) {
        // A cursor that does not move would load the same page for ever.
        let moves = page.nextBefore.map { next in previous.map { next < $0 } ?? true } ?? false
        cursor = page.nextBefore
        hasMore = page.hasMore && moves
        var before = 0
        for change in settled { change.apply(to: &base, unread: &before) }
        if let count = page.unreadCount {
            // The answer to an action that ended meanwhile is younger.
            if settled.isEmpty { unread = count }
        } else if settled.isEmpty {
            unread = base.count { !$0.isReading }
        }
    }

    // MARK: - Changes

    mutating func begin(_ id: Int, _ change: AlarmChange) {
        pending.append(Pending(id: id, change: change))
    }

    /// Folds a confirmed change in; the server's count wins.
    mutating func confirm(_ id: Int, unreadCount: Int?) {
        guard let change = remove(id) else { return }
        change.apply(to: &base, unread: &unread)
        if let unreadCount { unread = unreadCount }
        if isPageUnderWay { settled.append(change) }
    }

    /// Drops a change that failed or was cancelled.
    mutating func drop(_ id: Int) {
        remove(id)
    }

    /// Takes the marks that the app set by hand; those of changes under way stay with them.
    mutating func mark(_ alarms: [Alarm], shown: [Alarm]) {
        let known = Set(shown.filter(\.isReading).map(\.sequence))
        let read = Set(alarms.filter(\.isReading).map(\.sequence)).subtracting(known)
        AlarmChange.read(read).apply(to: &base, unread: &unread)
    }

    @discardableResult
    private mutating func remove(_ id: Int) -> AlarmChange? {
        guard let index = pending.firstIndex(where: { $0.id == id }) else { return nil }
        return pending.remove(at: index).change
    }
}
