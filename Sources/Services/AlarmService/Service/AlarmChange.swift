/// The effect of an action on a list; applying it twice has no further effect.
enum AlarmChange: Sendable, Hashable {
    case read(Set<Int>)
    case delete(Set<Int>)
    // Bounded by the newest alarm at the tap: the server may execute the action before later alarms arrive.
    case readAll(upTo: Int)
    case deleteAll(upTo: Int)
    case none

    init(_ action: AlarmAction, newest: Int?) {
        switch action {
        case .read(let sequences): self = .read(Set(sequences))
        case .delete(let sequences): self = .delete(Set(sequences))
        case .readAll: self = .readAll(upTo: newest ?? .max)
        case .deleteAll: self = .deleteAll(upTo: newest ?? .max)
        case .disable: self = .none
        }
    }

    /// Limits a change that began before anything was loaded to the alarms of the first page.
    func bounded(by newest: Int) -> AlarmChange {
        switch self {
        case .readAll(upTo: .max): .readAll(upTo: newest)
        case .deleteAll(upTo: .max): .deleteAll(upTo: newest)
        default: self
        }
    }

    func apply(to alarms: inout [Alarm], unread: inout Int, hasMore: inout Bool) {
        switch self {
        case .read(let sequences):
            for index in alarms.indices where !alarms[index].isReading && sequences.contains(alarms[index].sequence) {
                alarms[index].isReading = true
                unread -= 1
            }
        case .delete(let sequences):
            unread -= alarms.count { sequences.contains($0.sequence) && !$0.isReading }
            alarms.removeAll { sequences.contains($0.sequence) }
        case .readAll(let newest):
            for index in alarms.indices where alarms[index].sequence <= newest { alarms[index].isReading = true }
            unread = alarms.count { !$0.isReading }
        case .deleteAll(let newest):
            alarms.removeAll { $0.sequence <= newest }
            unread = alarms.count { !$0.isReading }
            // The pages that were not loaded are deleted as well.
            hasMore = false
        case .none: break
        }
        unread = max(0, unread)
    }
}
