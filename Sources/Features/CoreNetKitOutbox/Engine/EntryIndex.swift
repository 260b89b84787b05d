import CoreNetKitEssentials

/// The index of an outbox: its entries and their order, plain values that the records of the log change.
struct EntryIndex: Sendable {
    struct Usage: Hashable, Sendable {
        var entries = 0
        var bytes = 0
        var blobBytes = 0
    }

    private struct Draft: Hashable, Sendable {
        let queue: String
        let owner: String?
        let mergeKey: String
    }

    private(set) var entries: [UInt64: IndexedEntry] = [:]
    private(set) var numbers: [UUID: UInt64] = [:]
    /// The entries of each queue that have not ended, including those dead or in doubt.
    private(set) var queues: [String: EntryQueue] = [:]
    private var lastRank = 0
    private var sending: [String: UInt64] = [:]
    /// The newest draft of each merge key: earlier ones have ended, or were in flight when it was stored.
    private var drafts: [Draft: UInt64] = [:]
    /// Expiry times of entries, the earliest first; some entries may have ended.
    private var expiries = TimeHeap<Int64, UInt64>()
    /// What the waiting and running entries of each owner use; `nil` for entries without an owner.
    private(set) var usage: [String?: Usage] = [:]
    /// Bytes of the records of all entries, including those that wait for a decision.
    private(set) var keptBytes = 0
    /// The properties that entries share, each stored once.
    private var sharedProperties: Set<SharedEntryProperties> = []
    /// Entries that were in flight when the log was read: their outcome is unknown.
    var interrupted: Set<UInt64> = []
    private(set) var dependencies = EntryDependencies()
    private(set) var ends = RecentEnds()

    subscript(number: UInt64) -> IndexedEntry? { entries[number] }

    subscript(id: UUID) -> IndexedEntry? { numbers[id].flatMap { entries[$0] } }

    // MARK: Changes

    /// Inserts an entry; an id that is already known is a duplicate and ignored.
    mutating func insert(_ number: UInt64, _ head: EntryHead, byteCount: Int) {
        guard numbers[head.id] == nil else { return }
        let shared = sharedProperties(of: head)
        let entry = IndexedEntry(EntryFacts(number: number, head: head, byteCount: byteCount, shared: shared))
        entries[entry.number] = entry
        numbers[entry.id] = entry.number
        if let mergeKey = entry.mergeKey {
            drafts[Draft(queue: entry.queue, owner: entry.owner, mergeKey: mergeKey)] = entry.number
        }
        if let expires = entry.expires { expiries.insert(entry.number, at: expires) }
        dependencies.insert(entry)
        enter(entry, from: nil)
        keptBytes += entry.byteCount
        self.count(entry, 1)
    }

    private mutating func sharedProperties(of head: EntryHead) -> SharedEntryProperties {
        // Cleared from time to time, to drop those whose entries have ended.
        if sharedProperties.count >= 1024 { sharedProperties = [] }
        return sharedProperties.insert(SharedEntryProperties(head)).memberAfterInsert
    }

    /// Changes an entry; one that has ended leaves its queue, and the index too unless it needs a decision.
    mutating func update(_ number: UInt64, _ change: (inout IndexedEntry) -> Void) {
        guard var entry = entries[number] else { return }
        let before = entry.state
        change(&entry)
        entries[number] = entry
        let isLive = !entry.state.isFinal
        if before.isFinal == isLive { count(entry, isLive ? 1 : -1) }
        if entry.state.isFinal, !entry.state.needsDecision { return remove(entry, before) }
        guard entry.state != before else { return }
        if before.isFinal == isLive { enter(entry, from: before) }
        if entry.state == .sending { sending[entry.queue] = number } else { ended(number, in: entry.queue) }
    }

    /// Inserts an entry into its lane, and removes it from its previous one.
    private mutating func enter(_ entry: IndexedEntry, from before: OutboxEntry.State?) {
        if queues[entry.queue] == nil {
            lastRank += 1
            queues[entry.queue] = EntryQueue(rank: lastRank)
        }
        queues[entry.queue]?.change(entry.owner) { lane in
            lane.insert(entry)
            if let before { lane.remove(entry, from: before) }
        }
    }

    private mutating func ended(_ number: UInt64, in queue: String) {
        if sending[queue] == number { sending[queue] = nil }
    }

    private mutating func count(_ entry: IndexedEntry, _ sign: Int) {
        var usage = usage[entry.owner] ?? Usage()
        usage.entries += sign
        usage.bytes += sign * entry.byteCount
        usage.blobBytes += sign * (entry.blob?.byteCount ?? 0)
        self.usage[entry.owner] = usage.entries > 0 ? usage : nil
    }

    private mutating func remove(_ entry: IndexedEntry, _ before: OutboxEntry.State) {
        entries[entry.number] = nil
        numbers[entry.id] = nil
        interrupted.remove(entry.number)
        keptBytes -= entry.byteCount
        dependencies.remove(entry)
        ends.note(entry.id, entry.state)
        if let mergeKey = entry.mergeKey {
            let draft = Draft(queue: entry.queue, owner: entry.owner, mergeKey: mergeKey)
            if drafts[draft] == entry.number { drafts[draft] = nil }
        }
        ended(entry.number, in: entry.queue)
        queues[entry.queue]?.change(entry.owner) { $0.remove(entry, from: before) }
        if queues[entry.queue]?.isEmpty == true { queues[entry.queue] = nil }
    }

    // MARK: Looking

    func isSending(in queue: String) -> Bool { sending[queue] != nil }

    /// Names of queues in the order of their creation.
    var order: [String] { queues.sorted { $0.value.rank < $1.value.rank }.map(\.key) }

    /// The first entry of a queue to send, and whether an entry that needs a decision precedes it.
    ///
    /// Considers entries without an owner and those of the present owner; the number of others does not affect the cost.
    func first(in queue: String, of isPresent: (String?) -> Bool) -> (entry: IndexedEntry, followsDeadLetter: Bool)? {
        let lanes = queues[queue]?.lanes.filter { isPresent($0.owner) } ?? []
        guard let first = lanes.compactMap(\.live.first).min(by: <), let entry = entries[first.number] else {
            return nil
        }
        return (entry, lanes.contains { lane in lane.deadLetters.first.map { $0 < first } ?? false })
    }

    /// An owner's entries of a queue that wait or are in flight, in order.
    func waiting(in queue: String, of owner: String?) -> [UInt64] {
        queues[queue]?.lanes.first { $0.owner == owner }?.live.numbers ?? []
    }

    /// The entry that a newer one with the same merge key may replace: it has never been sent.
    func replaceable(mergeKey: String, queue: String, owner: String?) -> IndexedEntry? {
        let draft = Draft(queue: queue, owner: owner, mergeKey: mergeKey)
        guard let entry = drafts[draft].flatMap({ entries[$0] }), entry.state == .waiting, entry.history.attempts == 0,
            entry.history.firstSent == nil
        else { return nil }
        return entry
    }

    /// The entry that expires first, unless it is in flight.
    mutating func firstToExpire() -> IndexedEntry? {
        while let number = expiries.first?.element {
            if let entry = entries[number], !entry.state.isFinal { return entry.state == .waiting ? entry : nil }
            _ = expiries.popFirst()
        }
        return nil
    }

    // MARK: Reading the log

    /// Applies the next record of the log; returns `false` for an unreadable entry.
    @discardableResult
    mutating func apply(_ record: LogRecord) -> Bool {
        switch record.kind {
        case .entry:
            let scanned = HeadScan.head(record.payload) ?? EntryHead.decode(record.payload).map(\.0)
            guard let head = scanned else { return false }
            insert(record.number, head, byteCount: record.encodedCount)
            if let replaced = head.replaces.flatMap({ numbers[$0] }) {
                update(replaced) { $0.state = .replaced(by: head.id) }
            }
        case .sending:
            let mark = EntryMark(payload: record.payload)
            interrupted.insert(record.number)
            update(record.number) { entry in
                entry.state = .sending
                entry.history.attempts = mark.attempts ?? entry.history.attempts + 1
                entry.history.firstSent = mark.firstSent ?? entry.history.firstSent
                entry.history.wasTried = true
            }
        case .failed, .revived: note(record) { _ in .waiting }
        case .dead: note(record) { .dead($0.text ?? "") }
        case .inDoubt: note(record) { .inDoubt($0.text ?? "") }
        case .delivered:
            update(record.number) { $0.state = .delivered(status: EntryMark(payload: record.payload).status ?? 200) }
        case .cancelled: abandon(record.number, .cancelled)
        case .replaced:
            update(record.number) { $0.state = .replaced(by: EntryMark(payload: record.payload).by ?? $0.id) }
        case .expired: abandon(record.number, .expired)
        case .dropped: abandon(record.number, .dropped)
        default: break
        }
        return true
    }

    /// Ends an entry and its followers: the process may have ended before it could write that.
    private mutating func abandon(_ number: UInt64, _ state: OutboxEntry.State) {
        let followers = entries[number].map { dependencies.followers(of: $0) } ?? []
        update(number) { $0.state = state }
        for follower in followers where entries[follower]?.state == .waiting {
            update(follower) { $0.state = .dead(Self.lostPredecessor) }
        }
    }

    private mutating func note(_ record: LogRecord, _ state: (EntryMark) -> OutboxEntry.State) {
        let mark = EntryMark(payload: record.payload)
        interrupted.remove(record.number)
        update(record.number) { entry in
            entry.state = state(mark)
            entry.history.attempts = mark.attempts ?? entry.history.attempts
            entry.history.firstSent = mark.firstSent
            entry.history.lastStatus = mark.status
            entry.history.lastError = mark.text
            entry.history.wasTried = true
            entry.history.wait = mark.next.flatMap { next in mark.at.map { (next, $0) } }
        }
    }
}

extension OutboxEntry.State {
    var needsDecision: Bool {
        switch self {
        case .dead, .inDoubt: true
        default: false
        }
    }
}
