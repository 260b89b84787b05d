import CoreNetKitEssentials

extension OutboxEngine {
    /// Looks whether the conditions of an entry can be kept, just before it is taken in.
    ///
    /// - Parameters:
    ///   - head: The entry; it names who stands now for those that it is to follow, and none that was delivered.
    ///   - isStored: Whether it is on disk already: then what nobody here can tell is waited for.
    /// - Throws: ``OutboxError`` that says why it could never be sent.
    func check(_ head: inout EntryHead, isStored: Bool = false) throws(OutboxError) {
        guard !head.conditions.isEmpty else { return }
        var kept: [OutboxCondition] = []
        for condition in head.conditions {
            guard let id = condition.predecessor else {
                guard isStored || condition == .connected || tells(condition) else {
                    throw OutboxError(
                        .unknownCondition,
                        "nobody tells this outbox about \(condition); set options.conditions to a source that does"
                    )
                }
                kept.append(condition)
                continue
            }
            if let condition = try following(id, isStored) { kept.append(condition) }
        }
        head.conditions = kept
        let ids = kept.compactMap(\.predecessor)
        guard hold.role == .delivering, !ids.isEmpty, let replaced = replaceable(by: head) else { return }
        guard !box.wouldWaitForItself(ids, inPlaceOf: replaced) else {
            throw OutboxError(
                .invalidOption,
                "in the place of the draft that it replaces it would wait for itself; give it another queue or no merge key"
            )
        }
    }

    /// The condition to follow an entry; `nil` where that was delivered.
    private func following(_ id: UUID, _ isStored: Bool) throws(OutboxError) -> OutboxCondition? {
        guard hold.role == .delivering else { return .after(id) }
        switch box.standing(of: id) {
        case .present(let entry): return .after(entry.id)
        case .delivered: return nil
        case .givenUp: throw OutboxError(.notDelivered, Box.lostPredecessor, id: id)
        case .unknown:
            guard isStored else { throw OutboxError(.notFound, "there is no entry \(id) that it could follow", id: id) }
            return nil
        }
    }

    /// The draft whose place an entry takes.
    func replaceable(by head: EntryHead) -> BoxEntry? {
        head.mergeKey.flatMap { box.replaceable(mergeKey: $0, queue: head.queue, owner: head.owner) }
    }

    private func tells(_ condition: OutboxCondition) -> Bool { options.conditions?.known.contains(condition) ?? false }

    /// The first of an entry's conditions that does not hold.
    func unmet(of entry: BoxEntry) -> OutboxCondition? {
        entry.conditions.first { condition in
            if let id = condition.predecessor {
                if case .present(let other) = box.standing(of: id) { return other.id != entry.id }
                return false
            }
            // Nobody tells: to try is to find out.
            if condition == .connected, !tells(condition) { return false }
            return !tells(condition) || passage.holding?.contains(condition) != true
        }
    }

    /// What a condition waits for, for people.
    func text(of condition: OutboxCondition) -> String {
        guard let id = condition.predecessor, case .present(let other) = box.standing(of: id) else {
            return tells(condition) ? "waits for \(condition)" : "waits for \(condition), of which nobody here tells"
        }
        switch other.state {
        case .dead: return "waits for the entry \(other.id), which is dead and needs a decision"
        case .inDoubt: return "waits for the entry \(other.id), which is in doubt and needs a decision"
        default: return "waits for the entry \(other.id)"
        }
    }

    /// Listens to whoever tells of conditions.
    func watchConditions() async {
        guard let source = options.conditions else { return }
        var last: Set<OutboxCondition> = []
        for await holding in source.holding() {
            last = holding
            set(holding: holding)
        }
        // A source that says nothing says that nothing holds.
        if !Task.isCancelled { set(holding: last) }
    }

    /// Says which conditions hold.
    func set(holding new: Set<OutboxCondition>) {
        guard passage.holding != new else { return }
        passage.holding = new
        publish()
        bell.ring()
    }

    /// Whether it is known by now which conditions hold.
    var hasConditions: Bool { options.conditions == nil || passage.holding != nil }

    /// An entry has ended: those that follow it have their turn, or nothing to follow any more.
    func release(_ followers: [UInt64], of state: OutboxEntry.State) {
        for number in followers {
            guard let follower = box[number], follower.state == .waiting else { continue }
            switch state {
            case .delivered: bell.ring(for: follower.queue)
            // Who has taken its place is followed instead.
            case .replaced: break
            default:
                settle(number, .dead(Box.lostPredecessor))
                bell.ring(for: follower.queue)
            }
        }
    }
}
