import CoreNetKitSystem

extension Endpoints.Strategy {
    var isOrdered: Bool { if case .ordered = kind { true } else { false } }

    /// Whether latencies are measured.
    var measures: Bool { kind == .leastLoaded }
}

/// The load of a member.
struct MemberLoad: Sendable {
    /// Nanoseconds in which a latency loses half of its weight.
    private static let halfLife = 10e9

    var inFlight = 0
    /// The credit of smooth weighted round robin.
    var credit = 0
    /// The average, in nanoseconds; 0 before the first response.
    private var average = 0.0
    /// When that was, in nanoseconds.
    private var time: Int64 = 0

    var latency: Duration? { average == 0 ? nil : .nanoseconds(Int64(average)) }

    /// Takes a latency: a peak counts at once, a lower one in proportion to the time that has passed.
    mutating func add(_ latency: Int64, at now: Duration) {
        let (sample, now) = (Double(max(latency, 1)), now.wholeNanoseconds)
        average = sample >= average ? sample : sample + (average - sample) * weight(at: now)
        time = now
    }

    /// The expected wait of one more request.
    ///
    /// An old latency counts less and less, so that a member that was slow gets a request again.
    func cost(at now: Int64) -> Double {
        // Of a member that owes its first response nothing is known, except that others have responded sooner.
        if average == 0, inFlight > 0 { return Double(inFlight) * 1e15 }
        return Double(inFlight + 1) * max(average * weight(at: now), 1_000)
    }

    private func weight(at now: Int64) -> Double { Self.halfLife / (Self.halfLife + Double(max(now - time, 0))) }
}

extension MemberTable {
    /// Chooses among the members at some indices, at least one.
    mutating func pick(among mask: UInt64, except tried: UInt64, at now: Duration) -> Int {
        switch strategy.kind {
        case .ordered(let sticky): return ordered(mask, except: tried, sticky, at: now)
        case .roundRobin: return roundRobin(mask)
        case .leastLoaded: return leastLoaded(mask, at: now.wholeNanoseconds)
        }
    }

    /// Whether a request may try a member that was ejected, although others work.
    func mayProbe(_ index: Int, _ available: UInt64, at now: Duration) -> Bool {
        guard strategy.isOrdered, available != 0 else { return true }
        // A later member than the one in use is not needed.
        return index < available.trailingZeroBitCount && stickyUntil.map { $0 <= now } ?? true
    }

    private mutating func ordered(_ mask: UInt64, except tried: UInt64, _ sticky: Duration, at now: Duration) -> Int {
        let first = mask.trailingZeroBitCount
        // Another try of the same call says nothing about where the next call begins.
        guard tried == 0 else { return first }
        if let end = stickyUntil, now < end, mask & 1 << UInt64(current) != 0 { return current }
        if first != current {
            stickyUntil = first > current ? now + sticky : nil
            current = first
        }
        return first
    }

    /// Smooth weighted round robin: the member with the highest credit pays the sum of the weights.
    private mutating func roundRobin(_ mask: UInt64) -> Int {
        var (best, total) = (mask.trailingZeroBitCount, 0)
        for index in entries.indices where mask & 1 << UInt64(index) != 0 {
            let weight = min(entries[index].target.weight, 1 << 20)
            total += weight
            entries[index].load.credit += weight
            if entries[index].load.credit > entries[best].load.credit { best = index }
        }
        entries[best].load.credit -= total
        return best
    }

    /// The less loaded of two random members.
    private mutating func leastLoaded(_ mask: UInt64, at now: Int64) -> Int {
        let count = mask.nonzeroBitCount
        guard count > 1 else { return mask.trailingZeroBitCount }
        let first = Int(random.next() % UInt64(count))
        let second = (first + 1 + Int(random.next() % UInt64(count - 1))) % count
        let (left, right) = (index(first, in: mask), index(second, in: mask))
        return cost(left, at: now) <= cost(right, at: now) ? left : right
    }

    private func cost(_ index: Int, at now: Int64) -> Double {
        entries[index].load.cost(at: now) / Double(entries[index].target.weight)
    }

    /// The index of the n-th member of a set.
    private func index(_ number: Int, in mask: UInt64) -> Int {
        var mask = mask
        for _ in 0..<number { mask &= mask - 1 }
        return mask.trailingZeroBitCount
    }
}
