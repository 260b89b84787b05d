import CoreNetKitEssentials

extension EntryIndex {
    /// The state of an entry that another one names.
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

    /// Looks up an entry, or the entry that replaced it.
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

    /// An entry's predecessors that are not delivered yet.
    func predecessors(of entry: IndexedEntry) -> [IndexedEntry] {
        present(entry.predecessors).filter { $0.id != entry.id }
    }

    private func present(_ ids: [UUID]) -> [IndexedEntry] {
        ids.compactMap { if case .present(let entry) = predecessorState(of: $0) { entry } else { nil } }
    }

    /// Whether an entry that replaces another would wait for itself: by its conditions, or after itself in a queue.
    ///
    /// - Parameters:
    ///   - ids: The predecessors of the entry.
    ///   - replaced: The entry that it replaces.
    /// - Returns: Whether it could never be sent.
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
