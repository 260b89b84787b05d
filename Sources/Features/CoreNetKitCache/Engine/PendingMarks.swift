import CoreNetKitSystem
import Synchronization

/// Marks and removals that a storage has not written yet.
final class PendingMarks: Sendable {
    typealias Changes = (mark: CacheMark, removals: [String?])

    private let all = Locked<Changes>((CacheMark(), []))
    private let count = Atomic(0)

    /// Whether there are any; checked at each look-up.
    var hasAny: Bool { count.load(ordering: .acquiring) > 0 }

    func add(_ mark: CacheMark) {
        change { changes in
            // Unique by slot: there are never more than the table has.
            let known = Set(changes.mark.resources.map(\.slot))
            let resources = changes.mark.resources + mark.resources.filter { !known.contains($0.slot) }
            changes.mark = CacheMark(resources, groups: Array(Set(changes.mark.groups + mark.groups)))
        }
    }

    func add(removal partition: String?) {
        change { if !$0.removals.contains(partition) { $0.removals.append(partition) } }
    }

    /// The changes that must be written before a slot's counters are valid; `nil` if there are none.
    func changes(of slot: Int, _ partition: String) -> Changes? {
        all.withLock { all in
            let mark = CacheMark(
                all.mark.resources.filter { $0.slot == slot },
                groups: all.mark.groups.filter { $0 == slot }
            )
            let removals = all.removals.filter { $0 == nil || $0 == partition }
            return mark.slots.isEmpty && removals.isEmpty ? nil : (mark, removals)
        }
    }

    func drop(_ done: Changes) {
        change { changes in
            changes.mark = CacheMark(
                changes.mark.resources.filter { old in !done.mark.resources.contains { $0.slot == old.slot } },
                groups: changes.mark.groups.filter { !done.mark.groups.contains($0) }
            )
            changes.removals.removeAll { done.removals.contains($0) }
        }
    }

    private func change(_ change: (inout Changes) -> Void) {
        all.withLock { changes in
            change(&changes)
            count.store(changes.mark.slots.count + changes.removals.count, ordering: .releasing)
        }
    }
}
