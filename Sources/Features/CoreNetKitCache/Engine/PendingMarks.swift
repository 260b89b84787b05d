import CoreNetKitSystem
import Synchronization

/// Marks and removals that a storage has not written yet.
final class PendingMarks: Sendable {
    struct Rest: Sendable {
        var mark = CacheMark()
        var removals: [String?] = []
    }

    private let all = Locked(Rest())
    private let count = Atomic(0)

    /// Whether there are any; checked at each look-up.
    var areAny: Bool { count.load(ordering: .acquiring) > 0 }

    func add(_ mark: CacheMark) {
        change { rest in
            // Unique by slot: there are never more than the table has.
            let known = Set(rest.mark.resources.map(\.slot))
            let resources = rest.mark.resources + mark.resources.filter { !known.contains($0.slot) }
            rest.mark = CacheMark(resources, groups: Array(Set(rest.mark.groups + mark.groups)))
        }
    }

    func add(removal partition: String?) {
        change { if !$0.removals.contains(partition) { $0.removals.append(partition) } }
    }

    /// What must be written before a slot's counters are valid; `nil` for nothing.
    func rest(of slot: Int, _ partition: String) -> Rest? {
        all.withLock { all in
            let rest = Rest(
                mark: CacheMark(
                    all.mark.resources.filter { $0.slot == slot },
                    groups: all.mark.groups.filter { $0 == slot }
                ),
                removals: all.removals.filter { $0 == nil || $0 == partition }
            )
            return rest.mark.slots.isEmpty && rest.removals.isEmpty ? nil : rest
        }
    }

    func drop(_ done: Rest) {
        change { rest in
            rest.mark = CacheMark(
                rest.mark.resources.filter { old in !done.mark.resources.contains { $0.slot == old.slot } },
                groups: rest.mark.groups.filter { !done.mark.groups.contains($0) }
            )
            rest.removals.removeAll { done.removals.contains($0) }
        }
    }

    private func change(_ change: (inout Rest) -> Void) {
        all.withLock { rest in
            change(&rest)
            count.store(rest.mark.slots.count + rest.removals.count, ordering: .releasing)
        }
    }
}
