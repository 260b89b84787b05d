import CoreNetKitSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The server's alarms: a binary heap by time.
struct Timers {
    enum Alarm {
        case respond(Inbox.Address)
        case drop(Inbox.Address)
        case accept
        case tick
    }

    private var heap: [(time: UInt64, alarm: Alarm)] = []

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Milliseconds until the next alarm, rounded up; -1 without one.
    var timeout: Int32 {
        guard let first = heap.first else { return -1 }
        let now = Self.now()
        return first.time <= now ? 0 : Int32(min((first.time - now + 999_999) / 1_000_000, 60_000))
    }

    mutating func set(_ alarm: Alarm, after delay: Duration) {
        let nanoseconds = UInt64(max(0, delay.bounded.wholeNanoseconds))
        heap.append((Self.now() + nanoseconds, alarm))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the next alarm that is due.
    mutating func due() -> Alarm? {
        guard let first = heap.first, first.time <= Self.now() else { return nil }
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
