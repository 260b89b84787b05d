import CoreNetKitHTTP

/// The pages as the server sent them, and the unconfirmed changes that are applied on top, in order.
///
/// A failed change is simply removed. No copy is restored, which could undo other changes.
struct AlarmListState: Sendable {
    struct Pending: Sendable {
        let id: Int
        var change: AlarmChange
        var sentAt = 0
    }

    private var confirmed = AlarmSnapshot()
    private var cursor: Int?
    private var pending: [Pending] = []
    /// Changes confirmed since the running page load began; its response may be older than they are.
    private var confirmedChanges: [AlarmChange] = []
    private var pageTime: Int?
    /// A logical clock: counts requests as they are sent.
    private var logicalTime = 0
    /// When the request was sent that returned the shown count; counts of earlier requests are ignored.
    private var countTime = 0

    /// The sequence of the newest alarm, 0 if there is none; `nil` before the first page.
    private var newest: Int? { confirmed.isLoaded ? confirmed.alarms.first?.sequence ?? 0 : nil }

    func change(by action: AlarmAction) -> AlarmChange { AlarmChange(action, newest: newest) }

    func change(of id: Int) -> AlarmChange? { pending.first { $0.id == id }?.change }

    /// The cursor for the next load; `nil` if there are no older alarms.
    var nextBefore: Int? { confirmed.hasMore ? cursor : nil }

    var snapshot: AlarmSnapshot { pending.reduce(into: confirmed) { $1.change.apply(to: &$0) } }

    func alarm(_ sequence: Int) -> Alarm? { confirmed.alarms.first { $0.sequence == sequence } }

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
        confirmed.alarms = page.alarms
        confirmed.skippedCount = page.skipped
        (confirmed.isLoaded, confirmed.isFromCache) = (true, false)
        for index in pending.indices { pending[index].change = pending[index].change.bounded(by: newest ?? 0) }
        take(page, after: nil)
    }

    /// Shows a page of the cache, before any other; every response of the server is newer.
    mutating func show(stored page: AlarmPage) {
        guard !confirmed.isLoaded else { return }
        refresh(page)
        confirmed.isFromCache = true
        countTime = 0
    }

    /// Appends an older page; alarms that are already loaded, or not older than the cursor, are skipped.
    mutating func append(_ page: AlarmPage, after cursor: Int) {
        let known = Set(confirmed.alarms.map(\.sequence))
        confirmed.alarms += page.alarms.filter { $0.sequence < cursor && !known.contains($0.sequence) }
        confirmed.skippedCount += page.skipped
        take(page, after: cursor)
    }

    private mutating func take(_ page: AlarmPage, after previous: Int?) {
        // A cursor that does not advance would load the same page forever.
        let advances = page.nextBefore.map { next in previous.map { next < $0 } ?? true } ?? false
        cursor = page.nextBefore
        confirmed.hasMore = page.hasMore && advances
        guard confirmedChanges.isEmpty else {
            // The response to an action that ended meanwhile is newer than the page's count.
            let count = confirmed.unreadCount
            for change in confirmedChanges { change.apply(to: &confirmed) }
            confirmed.unreadCount = count
            return
        }
        if let count = page.unreadCount {
            setUnreadCount(count, sentAt: pageTime ?? logicalTime)
        } else {
            confirmed.unreadCount = confirmed.unreadAlarms
        }
    }

    private mutating func setUnreadCount(_ count: Int, sentAt time: Int) {
        guard time >= countTime else { return }
        confirmed.unreadCount = count
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
        done.change.apply(to: &confirmed)
        if let unreadCount { setUnreadCount(unreadCount, sentAt: done.sentAt) }
        if pageTime != nil { confirmedChanges.append(done.change) }
    }

    mutating func receive(_ push: AlarmPush) {
        logicalTime += 1
        if let newest, let alarm = push.alarm, alarm.sequence > newest {
            confirmed.alarms.insert(alarm, at: 0)
            if !alarm.isReading { confirmed.unreadCount = confirmed.unreadCount.saturatingAdd(1) }
        }
        if let count = push.unreadCount { setUnreadCount(count, sentAt: logicalTime) }
    }

    /// Applies read marks that the app has set; marks of pending changes stay with those changes.
    mutating func mark(_ alarms: [Alarm], shown: [Alarm]) {
        let known = Set(shown.filter(\.isReading).map(\.sequence))
        let read = Set(alarms.filter(\.isReading).map(\.sequence)).subtracting(known)
        AlarmChange.read(read).apply(to: &confirmed)
    }

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

    func apply(to list: inout AlarmSnapshot) {
        let before = list.unreadAlarms
        switch self {
        case .read(let sequences): list.read { sequences.contains($0) }
        case .delete(let sequences): list.alarms.removeAll { sequences.contains($0.sequence) }
        case .readAll(let newest): list.read { $0 <= newest }
        case .deleteAll(let newest):
            list.alarms.removeAll { $0.sequence <= newest }
            // The pages that were not loaded are deleted as well.
            list.hasMore = false
        case .none: break
        }
        let after = list.unreadAlarms
        switch self {
        case .readAll, .deleteAll: list.unreadCount = after
        case .read, .delete, .none: list.unreadCount = max(0, list.unreadCount - (before - after))
        }
    }
}

extension AlarmSnapshot {
    fileprivate var unreadAlarms: Int { alarms.count { !$0.isReading } }

    fileprivate mutating func read(_ isRead: (_ sequence: Int) -> Bool) {
        for index in alarms.indices where isRead(alarms[index].sequence) { alarms[index].isReading = true }
    }
}
