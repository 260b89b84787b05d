import CoreNetKitEssentials

/// The entries of an outbox and their order: plain values that the records of the log change.
struct Box: Sendable {
    /// What entries take of the limits.
    struct Usage: Hashable, Sendable {
        var entries = 0
        var bytes = 0
        var blobBytes = 0
    }

    private(set) var entries: [UInt64: BoxEntry] = [:]
    private(set) var numbers: [UUID: UInt64] = [:]
    /// Entries of each queue that are not over, in their order; dead ones and those in doubt too.
    private(set) var queues: [String: [UInt64]] = [:]
    /// Names of queues in the order in which they came, for a fair turn; some may be empty by now.
    private(set) var order: [String] = []
    private var ordered: Set<String> = []
    /// What each owner's entries take that wait or are on their way; `nil` for nobody's.
    private(set) var usage: [String?: Usage] = [:]
    /// Bytes of the records of all entries, those that wait for a decision included.
    private(set) var keptBytes = 0
    /// Sending when the log was read: nobody knows what became of them.
    private(set) var interrupted: Set<UInt64> = []

    subscript(number: UInt64) -> BoxEntry? { entries[number] }

    subscript(id: UUID) -> BoxEntry? { numbers[id].flatMap { entries[$0] } }

    // MARK: Changes

    /// Takes in an entry; one whose id is known is the same one a second time.
    mutating func insert(_ entry: BoxEntry) {
        guard numbers[entry.id] == nil else { return }
        entries[entry.number] = entry
        numbers[entry.id] = entry.number
        if ordered.insert(entry.queue).inserted { order.append(entry.queue) }
        let index = queues[entry.queue]?.lastIndex { (entries[$0]?.place ?? 0) <= entry.place }.map { $0 + 1 } ?? 0
        // In its place: a copy for each entry would cost what the queue is long.
        queues[entry.queue, default: []].insert(entry.number, at: index)
        keptBytes += entry.count
        count(entry, 1)
    }

    /// Changes an entry; one that is over leaves its queue, and the box unless somebody must decide about it.
    mutating func update(_ number: UInt64, _ change: (inout BoxEntry) -> Void) {
        guard var entry = entries[number] else { return }
        let wasLive = !entry.state.isFinal
        change(&entry)
        entries[number] = entry
        let isLive = !entry.state.isFinal
        if wasLive != isLive { count(entry, isLive ? 1 : -1) }
        if entry.state.isFinal, !entry.state.isForSomebodyToDecide { remove(entry) }
    }

    private mutating func count(_ entry: BoxEntry, _ sign: Int) {
        var usage = usage[entry.owner] ?? Usage()
        usage.entries += sign
        usage.bytes += sign * entry.count
        usage.blobBytes += sign * (entry.blob?.count ?? 0)
        self.usage[entry.owner] = usage.entries > 0 ? usage : nil
    }

    private mutating func remove(_ entry: BoxEntry) {
        entries[entry.number] = nil
        numbers[entry.id] = nil
        interrupted.remove(entry.number)
        keptBytes -= entry.count
        if let index = queues[entry.queue]?.firstIndex(of: entry.number) { queues[entry.queue]?.remove(at: index) }
        guard queues[entry.queue]?.isEmpty == true else { return }
        queues[entry.queue] = nil
        guard order.count > 2 * queues.count + 16 else { return }
        order.removeAll { queues[$0] == nil }
        ordered = Set(order)
    }

    /// The entry that a newer one with the same merge key may replace: it has never been sent.
    func replaceable(mergeKey: String, queue: String, owner: String?) -> BoxEntry? {
        queues[queue]?.lazy.compactMap { entries[$0] }.first {
            $0.mergeKey == mergeKey && $0.owner == owner && $0.state == .waiting && $0.attempts == 0
                && $0.firstSent == nil
        }
    }

    // MARK: Reading the log

    /// Applies a record of the log, in its order.
    mutating func apply(_ record: LogRecord) {
        let mark = { EntryMark(payload: record.payload) }
        switch record.kind {
        case .entry:
            guard let (head, _) = EntryHead.decode(record.payload) else { return }
            insert(BoxEntry(number: record.number, head: head, count: record.encodedCount))
            if let replaced = head.replaces.flatMap({ numbers[$0] }) {
                update(replaced) { $0.state = .replaced(by: head.id) }
            }
        case .sending:
            let mark = mark()
            interrupted.insert(record.number)
            update(record.number) { entry in
                entry.state = .sending
                entry.attempts = mark.attempts ?? entry.attempts + 1
                entry.firstSent = mark.firstSent ?? entry.firstSent
                entry.wasTried = true
            }
        case .failed, .revived: note(record.number, mark(), .waiting)
        case .dead:
            let mark = mark()
            note(record.number, mark, .dead(mark.text ?? ""))
        case .inDoubt:
            let mark = mark()
            note(record.number, mark, .inDoubt(mark.text ?? ""))
        case .delivered: update(record.number) { $0.state = .delivered(status: mark().status ?? 200) }
        case .cancelled: update(record.number) { $0.state = .cancelled }
        case .replaced: update(record.number) { entry in entry.state = .replaced(by: mark().by ?? entry.id) }
        case .expired: update(record.number) { $0.state = .expired }
        case .dropped: update(record.number) { $0.state = .dropped }
        default: break
        }
    }

    private mutating func note(_ number: UInt64, _ mark: EntryMark, _ state: OutboxEntry.State) {
        interrupted.remove(number)
        update(number) { entry in
            entry.state = state
            entry.attempts = mark.attempts ?? entry.attempts
            entry.firstSent = mark.firstSent
            entry.lastStatus = mark.status
            entry.lastError = mark.text
            entry.wasTried = true
            if let next = mark.next, let at = mark.at { entry.wait = (next, at) } else { entry.wait = nil }
        }
    }

    mutating func forgetInterrupted() { interrupted = [] }
}

extension OutboxEntry.State {
    var isForSomebodyToDecide: Bool {
        switch self {
        case .dead, .inDoubt: true
        default: false
        }
    }
}
