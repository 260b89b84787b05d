import CoreNetKitSystem

/// Which queues to look at: those that were signalled, and those whose time has come.
///
/// A queue that had nothing to send is not looked at before the next signal: the cost of storing an entry does not depend
/// on the number of queues.
struct QueueSchedule: Sendable {
    private struct Alarm: Sendable {
        let time: Duration
        let queue: String
    }

    /// The priority of a queue; the highest goes first.
    private let priority: @Sendable (String) -> Int
    /// The awake queues of each priority, in turn; the highest priority first.
    private var awake: [(priority: Int, line: WaitQueue<String>)] = []
    private var times: [String: Duration] = [:]
    /// A heap, the earliest at its top; an alarm that differs from `times` is stale.
    private var alarms: [Alarm] = []

    init(priority: @escaping @Sendable (String) -> Int = { _ in 0 }) { self.priority = priority }

    mutating func wake(_ queue: String) {
        let priority = priority(queue)
        let index = awake.firstIndex { $0.priority <= priority } ?? awake.count
        if index == awake.count || awake[index].priority != priority { awake.insert((priority, .init()), at: index) }
        awake[index].line.append(queue)
    }

    mutating func sleep(_ queue: String, until time: Duration) {
        guard times.updateValue(time, forKey: queue) != time else { return }
        // Queues that were woken early leave stale alarms.
        if alarms.count > 2 * times.count + 16 {
            alarms = times.map { Alarm(time: $0.value, queue: $0.key) }.sorted { $0.time < $1.time }
        } else {
            alarms.append(Alarm(time: time, queue: queue))
            raise(alarms.count - 1)
        }
    }

    /// The next queue to look at.
    mutating func next(at now: Duration) -> String? {
        while let time = earliest, time <= now {
            let alarm = dropTop()
            times[alarm.queue] = nil
            wake(alarm.queue)
        }
        guard !awake.isEmpty, let queue = awake[0].line.popFirst() else { return nil }
        if awake[0].line.isEmpty { awake.removeFirst() }
        times[queue] = nil
        return queue
    }

    /// Whether no queue has a turn, now or at a later time.
    var isAsleep: Bool {
        mutating get { awake.isEmpty && earliest == nil }
    }

    /// When the next queue wakes by itself.
    var earliest: Duration? {
        mutating get {
            while let top = alarms.first, times[top.queue] != top.time { _ = dropTop() }
            return alarms.first?.time
        }
    }

    private mutating func raise(_ index: Int) {
        var index = index
        while index > 0, alarms[index].time < alarms[(index - 1) / 2].time {
            alarms.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func dropTop() -> Alarm {
        alarms.swapAt(0, alarms.count - 1)
        let top = alarms.removeLast()
        var index = 0
        while true {
            let children = (2 * index + 1...2 * index + 2).filter(alarms.indices.contains)
            guard let child = children.min(by: { alarms[$0].time < alarms[$1].time }),
                alarms[child].time < alarms[index].time
            else { return top }
            alarms.swapAt(index, child)
            index = child
        }
    }
}
