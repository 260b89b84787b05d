import CoreNetKitSystem

/// Which queues to look at: those that were signalled, and those whose time has come.
///
/// A queue that had nothing to send is not looked at before the next signal: the cost of storing an entry does not depend
/// on the number of queues.
struct QueueSchedule: Sendable {
    private let priority: @Sendable (String) -> Int
    /// The awake queues of each priority, in turn; the highest priority first.
    private var awake: [(priority: Int, line: WaitQueue<String>)] = []
    private var times: [String: Duration] = [:]
    /// An alarm that differs from `times` is stale.
    private var alarms = TimeHeap<Duration, String>()

    init(priority: @escaping @Sendable (String) -> Int) { self.priority = priority }

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
            alarms = TimeHeap()
            for (queue, time) in times { alarms.insert(queue, at: time) }
        } else {
            alarms.insert(queue, at: time)
        }
    }

    mutating func next(at now: Duration) -> String? {
        while let time = earliest, time <= now, let alarm = alarms.popFirst() {
            times[alarm.element] = nil
            wake(alarm.element)
        }
        guard !awake.isEmpty, let queue = awake[0].line.popFirst() else { return nil }
        if awake[0].line.isEmpty { awake.removeFirst() }
        times[queue] = nil
        return queue
    }

    /// Whether no queue has a turn, now or at a later time.
    var isAsleep: Bool { mutating get { awake.isEmpty && earliest == nil } }

    var earliest: Duration? {
        mutating get {
            while let first = alarms.first, times[first.element] != first.time { _ = alarms.popFirst() }
            return alarms.first?.time
        }
    }
}

struct TimeHeap<Time: Comparable & Sendable, Element: Sendable>: Sendable {
    private var items: [(time: Time, element: Element)] = []

    var count: Int { items.count }
    var first: (time: Time, element: Element)? { items.first }

    mutating func insert(_ element: Element, at time: Time) {
        items.append((time, element))
        var index = items.count - 1
        while index > 0, items[index].time < items[(index - 1) / 2].time {
            items.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst() -> (time: Time, element: Element)? {
        guard !items.isEmpty else { return nil }
        items.swapAt(0, items.count - 1)
        let first = items.removeLast()
        var index = 0
        while true {
            let children = (2 * index + 1...2 * index + 2).filter(items.indices.contains)
            guard let child = children.min(by: { items[$0].time < items[$1].time }),
                items[child].time < items[index].time
            else { return first }
            items.swapAt(index, child)
            index = child
        }
    }
}
