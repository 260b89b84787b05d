import CoreNetKitSystem
import Synchronization

/// Invalidations and removals that a storage has not written yet.
final class PendingInvalidations: Sendable {
    typealias Changes = (invalidation: CacheInvalidation, removals: [String?])

    private let all = Locked<Changes>((CacheInvalidation(), []))
    private let count = Atomic(0)

    /// Whether there are any; checked at each look-up.
    var hasAny: Bool { count.load(ordering: .acquiring) > 0 }

    func add(_ invalidation: CacheInvalidation) {
        change { changes in
            // Unique by slot: there are never more than the table has.
            let known = Set(changes.invalidation.resources.map(\.slot))
            let resources = changes.invalidation.resources + invalidation.resources.filter { !known.contains($0.slot) }
            let groups = Set(changes.invalidation.groups + invalidation.groups)
            changes.invalidation = CacheInvalidation(resources, groups: Array(groups))
        }
    }

    func add(removal partition: String?) {
        change { if !$0.removals.contains(partition) { $0.removals.append(partition) } }
    }

    /// The changes that must be written before a slot's generations are valid; `nil` if there are none.
    func changes(of slot: Int, _ partition: String) -> Changes? {
        all.withLock { all in
            let invalidation = CacheInvalidation(
                all.invalidation.resources.filter { $0.slot == slot },
                groups: all.invalidation.groups.filter { $0 == slot }
            )
            let removals = all.removals.filter { $0 == nil || $0 == partition }
            return invalidation.slots.isEmpty && removals.isEmpty ? nil : (invalidation, removals)
        }
    }

    func drop(_ done: Changes) {
        change { changes in
            let slots = Set(done.invalidation.resources.map(\.slot))
            changes.invalidation = CacheInvalidation(
                changes.invalidation.resources.filter { !slots.contains($0.slot) },
                groups: changes.invalidation.groups.filter { !done.invalidation.groups.contains($0) }
            )
            changes.removals.removeAll { done.removals.contains($0) }
        }
    }

    private func change(_ change: (inout Changes) -> Void) {
        all.withLock { changes in
            change(&changes)
            count.store(changes.invalidation.slots.count + changes.removals.count, ordering: .releasing)
        }
    }
}
