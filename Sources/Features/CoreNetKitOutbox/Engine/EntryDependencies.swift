import CoreNetKitEssentials
import CoreNetKitSystem

/// Dependencies: an entry keeps the id of its predecessor for ever; the successor of a replaced predecessor is stored
/// here, and in the successor's own head.
struct EntryDependencies: Sendable {
    private var followers: [UUID: Set<UInt64>] = [:]
    private var replacements: [UUID: UUID] = [:]

    mutating func insert(_ entry: IndexedEntry) {
        for id in entry.predecessors { followers[id, default: []].insert(entry.number) }
        for id in entry.replacedIDs { replacements[id] = entry.id }
    }

    mutating func remove(_ entry: IndexedEntry) {
        for id in entry.predecessors {
            followers[id]?.remove(entry.number)
            guard followers[id]?.isEmpty == true else { continue }
            (followers[id], replacements[id]) = (nil, nil)
        }
        for id in entry.replacedIDs where replacements[id] == entry.id { replacements[id] = nil }
    }

    func current(_ id: UUID) -> UUID { replacements[id] ?? id }

    /// The ids by which entries wait for an entry: those that its replacement must represent.
    func names(of entry: IndexedEntry) -> [UUID] {
        guard !followers.isEmpty else { return [] }
        return ([entry.id] + entry.replacedIDs).filter { followers[$0] != nil && current($0) == entry.id }
    }

    func followers(of entry: IndexedEntry) -> [UInt64] {
        names(of: entry).reduce(into: Set<UInt64>()) { $0.formUnion(followers[$1] ?? []) }.sorted()
    }
}

/// How the most recent entries ended: an id may be named shortly after its end.
struct RecentEnds: Sendable {
    private static let most = 1024

    private var ends: [UUID: OutboxEntry.State] = [:]
    private var order = Fifo<UUID>()

    subscript(id: UUID) -> OutboxEntry.State? { ends[id] }

    mutating func note(_ id: UUID, _ state: OutboxEntry.State) {
        guard ends.updateValue(state, forKey: id) == nil else { return }
        order.append(id)
        if order.count > Self.most, let oldest = order.popFirst() { ends[oldest] = nil }
    }
}

extension EntryIndex {
    enum PredecessorState: Sendable {
        /// It waits, is in flight, is dead or in doubt.
        case present(IndexedEntry)
        case delivered
        /// It ended without being delivered.
        case abandoned
        /// It ended long ago, or never existed.
        case unknown
    }

    /// The error of a follower whose predecessor ended without being delivered.
    static let lostPredecessor = "the request that it was to follow was given up"

    func predecessorState(of named: UUID) -> PredecessorState {
        var id = dependencies.current(named)
        // Terminates: each one was replaced by a newer one.
        while self[id] == nil {
            switch ends[id] {
            case .replaced(let next)? where next != id: id = dependencies.current(next)
            case .delivered?: return .delivered
            case nil: return .unknown
            default: return .abandoned
            }
        }
        return self[id].map(PredecessorState.present) ?? .unknown
    }

    func predecessors(of entry: IndexedEntry) -> [IndexedEntry] {
        present(entry.predecessors).filter { $0.id != entry.id }
    }

    private func present(_ ids: [UUID]) -> [IndexedEntry] {
        ids.compactMap { if case .present(let entry) = predecessorState(of: $0) { entry } else { nil } }
    }

    /// Whether an entry with these predecessors, in the place of another, would wait for itself: by its conditions, or
    /// after itself in a queue.
    func wouldWaitForItself(_ ids: [UUID], inPlaceOf replaced: IndexedEntry) -> Bool {
        var open = present(ids)
        var seen: Set<UInt64> = []
        // The position up to which the entries of a queue were visited.
        var reached: [String: UInt64] = [:]
        while let entry = open.popLast() {
            if entry.number == replaced.number { return true }
            if entry.queue == replaced.queue, replaced.position < entry.position { return true }
            guard seen.insert(entry.number).inserted else { continue }
            open += predecessors(of: entry)
            // The entries before it in its queue wait for their predecessors, and it waits for them.
            guard reached[entry.queue, default: 0] < entry.position else { continue }
            reached[entry.queue] = entry.position
            open += live(in: entry.queue).filter { $0.position < entry.position }
        }
        return false
    }

    private func live(in queue: String) -> [IndexedEntry] {
        queues[queue]?.lanes.flatMap(\.live.numbers).compactMap { self[$0] } ?? []
    }
}
