import CoreNetKitSystem

/// Entries ordered by position; appending at the end and removing at the front are cheap.
///
/// Most queues hold a single entry, so one entry needs no array.
enum OrderedEntries: Sendable {
    typealias Item = (position: UInt64, number: UInt64)

    case empty
    case one(Item)
    /// Entries before `front` have left; at least one has not.
    case many([Item], front: Int)

    var isEmpty: Bool { if case .empty = self { true } else { false } }

    var first: Item? {
        switch self {
        case .empty: nil
        case .one(let item): item
        case .many(let items, let front): items[front]
        }
    }

    var numbers: [UInt64] {
        switch self {
        case .empty: []
        case .one(let item): [item.number]
        case .many(let items, let front): items[front...].map(\.number)
        }
    }

    mutating func insert(_ number: UInt64, at position: UInt64) {
        let item: Item = (position, number)
        switch self {
        case .empty: self = .one(item)
        case .one(let other): self = .many(other < item ? [other, item] : [item, other], front: 0)
        case .many(var items, let front):
            // Releases the array first: it would be copied while `self` still holds it.
            self = .empty
            if items[items.count - 1] < item {
                items.append(item)
            } else {
                items.insert(item, at: items.sortedIndex(from: front) { $0 < item })
            }
            self = .many(items, front: front)
        }
    }

    mutating func remove(_ number: UInt64, at position: UInt64) {
        switch self {
        case .empty: break
        case .one(let item): if item.number == number { self = .empty }
        case .many(var items, let front):
            let index = items.sortedIndex(from: front) { $0 < (position, number) }
            guard index < items.count, items[index].number == number else { return }
            self = .empty
            guard index == front else {
                items.remove(at: index)
                self = .many(items, front: front)
                return
            }
            guard front + 1 < items.count else { return }
            // The space of earlier entries is freed from time to time.
            let isSparse = front >= 32 && (front + 1) * 2 > items.count
            if isSparse { items.removeFirst(front + 1) }
            self = .many(items, front: isSparse ? 0 : front + 1)
        }
    }
}

/// The entries of one owner in a queue: those to send, and the dead letters.
struct EntryLane: Sendable {
    let owner: String?
    var live = OrderedEntries.empty
    var deadLetters = OrderedEntries.empty

    var isEmpty: Bool { live.isEmpty && deadLetters.isEmpty }

    mutating func insert(_ entry: IndexedEntry) {
        if entry.state.needsDecision {
            deadLetters.insert(entry.number, at: entry.position)
        } else {
            live.insert(entry.number, at: entry.position)
        }
    }

    mutating func remove(_ entry: IndexedEntry, from state: OutboxEntry.State) {
        if state.needsDecision {
            deadLetters.remove(entry.number, at: entry.position)
        } else {
            live.remove(entry.number, at: entry.position)
        }
    }
}

/// A queue, split by owner: entries of absent owners are never scanned.
struct EntryQueue: Sendable {
    let rank: Int
    private(set) var lanes: [EntryLane] = []

    var isEmpty: Bool { lanes.isEmpty }

    mutating func change(_ owner: String?, _ body: (inout EntryLane) -> Void) {
        let index = lanes.firstIndex { $0.owner == owner } ?? lanes.count
        if index == lanes.count { lanes.append(EntryLane(owner: owner)) }
        body(&lanes[index])
        if lanes[index].isEmpty { lanes.remove(at: index) }
    }
}
