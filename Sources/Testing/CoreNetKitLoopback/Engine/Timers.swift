import CoreNetKitSystem

/// The server's alarms: a binary heap by time.
struct Timers {
    enum Alarm {
        case respond(Inbox.Address)
        case drop(Inbox.Address)
        case accept
        case tick
    }

    private var heap: [(time: ContinuousClock.Instant, alarm: Alarm)] = []

    /// Milliseconds until the next alarm, rounded up; -1 without one.
    var timeout: Int32 {
        guard let first = heap.first else { return -1 }
        let left = ContinuousClock.now.duration(to: first.time) / .milliseconds(1)
        return Int32(min(max(0, left.rounded(.up)), 60_000))
    }

    mutating func set(_ alarm: Alarm, after delay: Duration) {
        heap.append((.now + delay.bounded, alarm))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func due() -> Alarm? {
        guard let first = heap.first, first.time <= .now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].time < heap[least].time {
                least = child
            }
            if least == parent { return first.alarm }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
