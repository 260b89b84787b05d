import CoreNetKitEssentials

/// Who waits for whom: entries that are to be sent after others were delivered.
///
/// An entry names the one that it follows for ever; who takes that one's place is kept here, and in its own head.
struct EntryTies: Sendable {
    /// Entries by the id that they name.
    private var followers: [UUID: Set<UInt64>] = [:]
    /// Who stands for an id that is named.
    private var standIns: [UUID: UUID] = [:]

    /// Whether there is nothing to look at.
    var isEmpty: Bool { followers.isEmpty }

    mutating func insert(_ entry: BoxEntry) {
        for id in entry.predecessors { followers[id, default: []].insert(entry.number) }
        for id in entry.standsFor { standIns[id] = entry.id }
    }

    mutating func remove(_ entry: BoxEntry) {
        for id in entry.predecessors {
            followers[id]?.remove(entry.number)
            guard followers[id]?.isEmpty == true else { continue }
            (followers[id], standIns[id]) = (nil, nil)
        }
        for id in entry.standsFor where standIns[id] == entry.id { standIns[id] = nil }
    }

    /// Whom an id means now.
    func current(_ id: UUID) -> UUID { standIns[id] ?? id }

    /// The ids by which entries wait for one: what its stand-in is to stand for.
    func names(of entry: BoxEntry) -> [UUID] {
        guard !followers.isEmpty else { return [] }
        return ([entry.id] + entry.standsFor).filter { followers[$0] != nil && current($0) == entry.id }
    }

    /// Who waits for an entry, in their order.
    func followers(of entry: BoxEntry) -> [UInt64] {
        names(of: entry).reduce(into: Set<UInt64>()) { $0.formUnion(followers[$1] ?? []) }.sorted()
    }
}

/// How the last entries ended that are not there any more: an id may be named a moment after its end.
struct RecentEnds: Sendable {
    private static let most = 1024

    private var ends: [UUID: OutboxEntry.State] = [:]
    private var order: [UUID] = []

    subscript(id: UUID) -> OutboxEntry.State? { ends[id] }

    mutating func note(_ id: UUID, _ state: OutboxEntry.State) {
        guard ends.updateValue(state, forKey: id) == nil else { return }
        order.append(id)
        // Half of them at once: each is moved once at most.
        guard order.count == 2 * Self.most else { return }
        for id in order.prefix(Self.most) { ends[id] = nil }
        order.removeFirst(Self.most)
    }
}
