/// Two counts over a sliding time window, kept in slots that expire one by one.
struct RollingCounts: Sendable {
    private static let slotCount = 10

    private let slot: Duration
    private var first = [Int](repeating: 0, count: slotCount)
    private var second = [Int](repeating: 0, count: slotCount)
    /// When the newest slot ends.
    private var end: Duration?
    private var newest = 0

    private(set) var firstSum = 0
    private(set) var secondSum = 0

    init(over window: Duration) { slot = window / Self.slotCount }

    mutating func addFirst(at now: Duration) {
        move(to: now)
        first[newest] += 1
        firstSum += 1
    }

    mutating func addSecond(at now: Duration) {
        move(to: now)
        second[newest] += 1
        secondSum += 1
    }

    /// Removes expired slots; a clock that goes back changes nothing.
    mutating func move(to now: Duration) {
        guard let last = end else {
            end = now + slot
            return
        }
        guard now >= last else { return }
        let passed = (now - last) / slot + 1
        let steps = passed < Double(Self.slotCount) ? Int(passed) : Self.slotCount
        for _ in 0..<steps {
            newest = (newest + 1) % Self.slotCount
            firstSum -= first[newest]
            secondSum -= second[newest]
            first[newest] = 0
            second[newest] = 0
        }
        end = steps < Self.slotCount ? last + slot * steps : now + slot
    }
}
