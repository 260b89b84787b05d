import CoreNetKitEssentials

extension Box {
    /// Where the entry stands that another one names.
    enum Standing: Sendable {
        /// It waits, is on its way, is dead or in doubt.
        case present(BoxEntry)
        case delivered
        /// It has ended otherwise.
        case givenUp
        /// It has ended long ago, or never was.
        case unknown
    }

    /// What a follower is told of a predecessor that has ended without being delivered.
    static let lostPredecessor = "the request that it was to follow was given up"

    /// Looks for an entry, or for who has taken its place.
    func standing(of named: UUID) -> Standing {
        var id = ties.current(named)
        // Each one was replaced by a younger one, so this ends.
        while self[id] == nil {
            switch ends[id] {
            case .replaced(let next)? where next != id: id = ties.current(next)
            case .delivered?: return .delivered
            case nil: return .unknown
            default: return .givenUp
            }
        }
        return self[id].map(Standing.present) ?? .unknown
    }

    /// An entry's predecessors that are not delivered yet.
    func predecessors(of entry: BoxEntry) -> [BoxEntry] { present(entry.predecessors).filter { $0.id != entry.id } }

    private func present(_ ids: [UUID]) -> [BoxEntry] {
        ids.compactMap { if case .present(let entry) = standing(of: $0) { entry } else { nil } }
    }

    /// Whether an entry that takes another one's place would wait for itself: by names, or behind itself in a queue.
    ///
    /// - Parameters:
    ///   - ids: Whom it follows.
    ///   - replaced: Whose place it takes.
    /// - Returns: Whether it could never be sent.
    func wouldWaitForItself(_ ids: [UUID], inPlaceOf replaced: BoxEntry) -> Bool {
        var open = present(ids)
        var seen: Set<UInt64> = []
        // Up to which place the entries of a queue have been opened.
        var reached: [String: UInt64] = [:]
        while let entry = open.popLast() {
            if entry.number == replaced.number { return true }
            if entry.queue == replaced.queue, replaced.place < entry.place { return true }
            guard seen.insert(entry.number).inserted else { continue }
            open += predecessors(of: entry)
            // Those before it in its queue wait for what they name, and it waits for them.
            guard reached[entry.queue, default: 0] < entry.place else { continue }
            reached[entry.queue] = entry.place
            open += live(in: entry.queue).filter { $0.place < entry.place }
        }
        return false
    }

    private func live(in queue: String) -> [BoxEntry] {
        queues[queue]?.lanes.flatMap(\.live.numbers).compactMap { self[$0] } ?? []
    }
}
