/// The pages as the server sent them, and the unconfirmed changes that are applied on top, in order.
///
/// A failed change is simply removed. No copy is restored, which could undo other changes.
struct AlarmListState: Sendable {
    struct Pending: Sendable {
        let id: Int
        var change: AlarmChange
        var sentAt = 0
    }

    private(set) var confirmed: [Alarm] = []
    private var unreadCount = 0
    private var cursor: Int?
    private var hasMore = false
    private var isLoaded = false
    private var isFromCache = false
    private var skippedCount = 0
    private var pending: [Pending] = []
    /// Changes confirmed since the running page load began; its response may be older than they are.
    private var confirmedChanges: [AlarmChange] = []
    private var pageTime: Int?
    /// A logical clock: counts requests as they are sent.
    private var logicalTime = 0
    /// When the request was sent that returned the shown count; counts of earlier requests are ignored.
    private var countTime = 0

    /// The sequence of the newest alarm, 0 if there is none; `nil` before the first page.
    private var newest: Int? { isLoaded ? confirmed.first?.sequence ?? 0 : nil }

    func change(by action: AlarmAction) -> AlarmChange { AlarmChange(action, newest: newest) }

    func change(of id: Int) -> AlarmChange? { pending.first { $0.id == id }?.change }

    /// The cursor for the next load; `nil` if there are no older alarms.
    var nextBefore: Int? { hasMore ? cursor : nil }

    var snapshot: AlarmSnapshot {
        var snapshot = AlarmSnapshot()
        snapshot.alarms = confirmed
        snapshot.unreadCount = unreadCount
        snapshot.hasMore = hasMore
        for operation in pending {
            operation.change.apply(
                to: &snapshot.alarms,
                unread: &snapshot.unreadCount,
                hasMore: &snapshot.hasMore
            )
        }
        snapshot.isLoaded = isLoaded
        snapshot.isFromCache = isFromCache
        snapshot.skippedCount = skippedCount
        return snapshot
    }

    func alarm(_ sequence: Int) -> Alarm? {
        confirmed.first { $0.sequence == sequence }
    }

    // MARK: - Pages

    mutating func beginPage() {
        confirmedChanges = []
        logicalTime += 1
        pageTime = logicalTime
    }

    mutating func endPage() {
        confirmedChanges = []
        pageTime = nil
    }

    mutating func refresh(_ page: AlarmPage) {
        confirmed = page.alarms
        skippedCount = page.skipped
        (isLoaded, isFromCache) = (true, false)
        for index in pending.indices { pending[index].change = pending[index].change.bounded(by: newest ?? 0) }
        take(page, after: nil)
    }

    /// Shows a page of the cache, before any other; every response of the server is newer.
    mutating func show(stored page: AlarmPage) {
        guard !isLoaded else { return }
        refresh(page)
        isFromCache = true
        countTime = 0
    }

    /// Appends an older page; alarms that are already loaded, or not older than the cursor, are skipped.
    mutating func append(_ page: AlarmPage, after cursor: Int) {
        let known = Set(confirmed.map(\.sequence))
        confirmed += page.alarms.filter { $0.sequence < cursor && !known.contains($0.sequence) }
        skippedCount += page.skipped
        take(page, after: cursor)
    }

    private mutating func take(_ page: AlarmPage, after previous: Int?) {
        // A cursor that does not advance would load the same page forever.
        let advances = page.nextBefore.map { next in previous.map { next < $0 } ?? true } ?? false
        cursor = page.nextBefore
        hasMore = page.hasMore && advances
        var ignoredUnread = 0
        for change in confirmedChanges { change.apply(to: &confirmed, unread: &ignoredUnread, hasMore: &hasMore) }
        // The response to an action that ended meanwhile is newer than this count.
        guard confirmedChanges.isEmpty else { return }
        if let count = page.unreadCount {
            setUnreadCount(count, sentAt: pageTime ?? logicalTime)
        } else {
            unreadCount = confirmed.count { !$0.isReading }
        }
    }

    private mutating func setUnreadCount(_ count: Int, sentAt time: Int) {
        guard time >= countTime else { return }
        unreadCount = count
        countTime = time
    }

    // MARK: - Changes

    mutating func begin(_ id: Int, _ action: AlarmAction) {
        pending.append(Pending(id: id, change: change(by: action)))
    }

    mutating func send(_ id: Int) {
        logicalTime += 1
        guard let index = pending.firstIndex(where: { $0.id == id }) else { return }
        pending[index].sentAt = logicalTime
    }

    /// Applies a confirmed change; the server's count is shown unless a newer one is.
    mutating func confirm(_ id: Int, unreadCount: Int?) {
        guard let done = drop(id) else { return }
        done.change.apply(to: &confirmed, unread: &self.unreadCount, hasMore: &hasMore)
        if let unreadCount { setUnreadCount(unreadCount, sentAt: done.sentAt) }
        if pageTime != nil { confirmedChanges.append(done.change) }
    }

    mutating func receive(_ push: AlarmPush) {
        logicalTime += 1
        if isLoaded, let alarm = push.alarm, alarm.sequence > newest ?? 0 {
            confirmed.insert(alarm, at: 0)
            if !alarm.isReading { unreadCount = unreadCount == .max ? unreadCount : unreadCount + 1 }
        }
        if let count = push.unreadCount { setUnreadCount(count, sentAt: logicalTime) }
    }

    /// Applies read marks that the app has set; marks of pending changes stay with those changes.
    mutating func mark(_ alarms: [Alarm], shown: [Alarm]) {
        let known = Set(shown.filter(\.isReading).map(\.sequence))
        let read = Set(alarms.filter(\.isReading).map(\.sequence)).subtracting(known)
        AlarmChange.read(read).apply(to: &confirmed, unread: &unreadCount, hasMore: &hasMore)
    }

    /// Drops a change that failed or was cancelled.
    @discardableResult
    mutating func drop(_ id: Int) -> Pending? {
        pending.firstIndex { $0.id == id }.map { pending.remove(at: $0) }
    }
}

/// The effect of an action on a list; applying it twice has no further effect.
enum AlarmChange: Sendable, Hashable {
    case read(Set<Int>)
    case delete(Set<Int>)
    // Bounded by the newest alarm at the tap: the server may execute the action before later alarms arrive.
    case readAll(upTo: Int)
    case deleteAll(upTo: Int)
    case none

    init(_ action: AlarmAction, newest: Int?) {
        switch action {
        case .read(let sequences): self = .read(Set(sequences))
        case .delete(let sequences): self = .delete(Set(sequences))
        case .readAll: self = .readAll(upTo: newest ?? .max)
        case .deleteAll: self = .deleteAll(upTo: newest ?? .max)
        case .disable: self = .none
        }
    }

    /// Limits a change that began before anything was loaded to the alarms of the first page.
    func bounded(by newest: Int) -> AlarmChange {
        switch self {
        case .readAll(upTo: .max): .readAll(upTo: newest)
        case .deleteAll(upTo: .max): .deleteAll(upTo: newest)
        default: self
        }
    }

    func apply(to alarms: inout [Alarm], unread: inout Int, hasMore: inout Bool) {
        switch self {
        case .read(let sequences):
            for index in alarms.indices where !alarms[index].isReading && sequences.contains(alarms[index].sequence) {
                alarms[index].isReading = true
                unread -= 1
            }
        case .delete(let sequences):
            unread -= alarms.count { sequences.contains($0.sequence) && !$0.isReading }
            alarms.removeAll { sequences.contains($0.sequence) }
        case .readAll(let newest):
            for index in alarms.indices where alarms[index].sequence <= newest { alarms[index].isReading = true }
            unread = alarms.count { !$0.isReading }
        case .deleteAll(let newest):
            alarms.removeAll { $0.sequence <= newest }
            unread = alarms.count { !$0.isReading }
            // The pages that were not loaded are deleted as well.
            hasMore = false
        case .none: break
        }
        unread = max(0, unread)
    }
}
