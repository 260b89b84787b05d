/// The calls and failures over a sliding time window, kept in slots that expire one by one.
struct RollingCounts: Sendable {
    private static let slotCount = 10

    private let slotLength: Duration
    private var slots = [(calls: Int, failures: Int)](repeating: (0, 0), count: slotCount)
    private var newestSlotEnd: Duration?
    private var newest = 0

    private(set) var calls = 0
    private(set) var failures = 0

    init(over window: Duration) { slotLength = window / Self.slotCount }

    mutating func add(isFailure: Bool = false, at now: Duration) {
        advance(to: now)
        slots[newest].calls += 1
        calls += 1
        guard isFailure else { return }
        slots[newest].failures += 1
        failures += 1
    }

    /// Removes expired slots; a clock that goes back changes nothing.
    mutating func advance(to now: Duration) {
        guard let last = newestSlotEnd else {
            newestSlotEnd = now + slotLength
            return
        }
        guard now >= last else { return }
        let passed = (now - last) / slotLength + 1
        let steps = passed < Double(Self.slotCount) ? Int(passed) : Self.slotCount
        for _ in 0..<steps {
            newest = (newest + 1) % Self.slotCount
            calls -= slots[newest].calls
            failures -= slots[newest].failures
            slots[newest] = (0, 0)
        }
        newestSlotEnd = steps < Self.slotCount ? last + slotLength * steps : now + slotLength
    }
}
