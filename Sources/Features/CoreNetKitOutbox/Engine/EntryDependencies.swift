import CoreNetKitEssentials

/// Dependencies: entries that are sent only after others were delivered.
///
/// An entry keeps the id of its predecessor for ever; the successor of a replaced predecessor is stored here, and in the
/// successor's own head.
struct EntryDependencies: Sendable {
    /// Entries by the id of their predecessor.
    private var followers: [UUID: Set<UInt64>] = [:]
    /// The entry that now represents an id.
    private var replacements: [UUID: UUID] = [:]

    /// Whether there are no dependencies.
    var isEmpty: Bool { followers.isEmpty }

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

    /// The entry that an id means now.
    func current(_ id: UUID) -> UUID { replacements[id] ?? id }

    /// The ids by which entries wait for an entry: those that its replacement must represent.
    func names(of entry: IndexedEntry) -> [UUID] {
        guard !followers.isEmpty else { return [] }
        return ([entry.id] + entry.replacedIDs).filter { followers[$0] != nil && current($0) == entry.id }
    }

    /// The entries that wait for an entry, in order.
    func followers(of entry: IndexedEntry) -> [UInt64] {
        names(of: entry).reduce(into: Set<UInt64>()) { $0.formUnion(followers[$1] ?? []) }.sorted()
    }
}

/// How the most recent entries ended: an id may be named shortly after its end.
struct RecentEnds: Sendable {
    private static let most = 1024

    private var ends: [UUID: OutboxEntry.State] = [:]
    private var order: [UUID] = []

    subscript(id: UUID) -> OutboxEntry.State? { ends[id] }

    mutating func note(_ id: UUID, _ state: OutboxEntry.State) {
        guard ends.updateValue(state, forKey: id) == nil else { return }
        order.append(id)
        // Drops half of them at once, so each id is moved at most once.
        guard order.count == 2 * Self.most else { return }
        for id in order.prefix(Self.most) { ends[id] = nil }
        order.removeFirst(Self.most)
    }
}
