import CoreNetKitEssentials

extension OutboxEngine {
    /// Checks that the conditions of an entry that is not stored yet can be met; afterwards they name the current
    /// predecessors, without delivered ones.
    func check(_ head: inout EntryHead, isStored: Bool = false) throws(OutboxError) {
        guard !head.conditions.isEmpty else { return }
        var kept: [OutboxCondition] = []
        for condition in head.conditions {
            guard let id = condition.predecessor else {
                guard isStored || condition == .connected || isObserved(condition) else {
                    let advice = "set options.conditions to a source that does"
                    throw OutboxError(.unknownCondition, "nobody tells this outbox about \(condition); \(advice)")
                }
                kept.append(condition)
                continue
            }
            if let condition = try following(id, isStored) { kept.append(condition) }
        }
        head.conditions = kept
        let ids = kept.compactMap(\.predecessor)
        guard folderState.role == .delivering, !ids.isEmpty, let replaced = replaceable(by: head) else { return }
        guard !index.wouldWaitForItself(ids, inPlaceOf: replaced) else {
            throw OutboxError(
                .invalidOption,
                "in the place of the draft that it replaces it would wait for itself; give it another queue or no merge key"
            )
        }
    }

    /// The condition to follow an entry; `nil` if that was delivered.
    private func following(_ id: UUID, _ isStored: Bool) throws(OutboxError) -> OutboxCondition? {
        guard folderState.role == .delivering else { return .after(id) }
        switch index.predecessorState(of: id) {
        case .present(let entry): return .after(entry.id)
        case .delivered: return nil
        case .abandoned: throw OutboxError(.notDelivered, EntryIndex.lostPredecessor, id: id)
        case .unknown:
            guard isStored else { throw OutboxError(.notFound, "there is no entry \(id) that it could follow", id: id) }
            return nil
        }
    }

    func replaceable(by head: EntryHead) -> IndexedEntry? {
        head.mergeKey.flatMap { index.replaceable(mergeKey: $0, queue: head.queue, owner: head.owner) }
    }

    private func isObserved(_ condition: OutboxCondition) -> Bool {
        options.conditions?.known.contains(condition) ?? false
    }

    func unmet(of entry: IndexedEntry) -> OutboxCondition? {
        entry.conditions.first { condition in
            if let id = condition.predecessor {
                if case .present(let other) = index.predecessorState(of: id) { return other.id != entry.id }
                return false
            }
            // Without a source, only an attempt shows whether there is a connection.
            if condition == .connected, !isObserved(condition) { return false }
            return !isObserved(condition) || deliveryGate.holding?.contains(condition) != true
        }
    }

    func text(of condition: OutboxCondition) -> String {
        guard let id = condition.predecessor, case .present(let other) = index.predecessorState(of: id) else {
            return isObserved(condition)
                ? "waits for \(condition)" : "waits for \(condition), of which nobody here tells"
        }
        switch other.state {
        case .dead: return "waits for the entry \(other.id), which is dead and needs a decision"
        case .inDoubt: return "waits for the entry \(other.id), which is in doubt and needs a decision"
        default: return "waits for the entry \(other.id)"
        }
    }

    func watchConditions() async {
        guard let source = options.conditions else { return }
        var last: Set<OutboxCondition> = []
        for await holding in source.holding() {
            last = holding
            set(holding: holding)
        }
        // A source that ends without a value reports that nothing holds.
        if !Task.isCancelled { set(holding: last) }
    }

    func set(holding new: Set<OutboxCondition>) {
        guard deliveryGate.holding != new else { return }
        deliveryGate.holding = new
        publish()
        wakeSignal.raise()
    }

    var hasConditions: Bool { options.conditions == nil || deliveryGate.holding != nil }

    /// Called when an entry has ended: its followers can be sent, or are dead if it was not delivered.
    func release(_ followers: [UInt64], of state: OutboxEntry.State) {
        for number in followers {
            guard let follower = index[number], follower.state == .waiting else { continue }
            switch state {
            case .delivered: wakeSignal.raise(for: follower.queue)
            // The replacement is followed instead.
            case .replaced: break
            default:
                fail(number, .dead(EntryIndex.lostPredecessor))
                wakeSignal.raise(for: follower.queue)
            }
        }
    }
}
