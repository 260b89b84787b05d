import CoreNetKitSystem

/// The server's alarms.
struct Timers {
    enum Alarm {
        case respond(CommandQueue.ConnectionID, LoopbackResponse)
        case drop(CommandQueue.ConnectionID)
        case accept
        case tick
    }

    /// Sorted, the next one last.
    private var alarms: [(time: ContinuousClock.Instant, alarm: Alarm)] = []

    /// Milliseconds until the next alarm, rounded up; -1 without one.
    var timeout: Int32 {
        guard let next = alarms.last else { return -1 }
        let left = ContinuousClock.now.duration(to: next.time) / .milliseconds(1)
        return Int32(min(max(0, left.rounded(.up)), 60_000))
    }

    mutating func set(_ alarm: Alarm, after delay: Duration) {
        let time = ContinuousClock.now + delay.bounded
        alarms.insert((time, alarm), at: alarms.firstIndex { $0.time <= time } ?? alarms.count)
    }

    mutating func due() -> Alarm? {
        guard let next = alarms.last, next.time <= .now else { return nil }
        return alarms.popLast()?.alarm
    }
}
